/* SPDX-License-Identifier: MIT */
/* Debug Adapter Protocol, "Base Protocol". */
#include "dap/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_HEADER 4096
#define MAX_BODY (32u << 20)
#define MAX_OUTPUT (64u << 20)

/* How long what is left at the end waits for a client that takes nothing of it. */
#define PATIENCE_MS 500

void
stream_init(struct stream *stream, int fd)
{
   *stream = (struct stream){.fd = fd};
   fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
   fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void
stream_drain(struct stream *stream)
{
   int result = stream_flush(stream);
   struct pollfd client = {.fd = stream->fd, .events = POLLOUT};
   while (!result && stream->output_size && poll(&client, 1, PATIENCE_MS) > 0)
      result = stream_flush(stream);
}

void
stream_finish(struct stream *stream)
{
   if (stream->fd >= 0) {
      stream_drain(stream);
      close(stream->fd);
   }
   free(stream->input);
   free(stream->output);
   *stream = (struct stream){.fd = -1};
}

static int
reserve(char **buffer, size_t *capacity, size_t size)
{
   if (size <= *capacity)
      return 0;
   size_t grown = *capacity ? *capacity : 4096;
   while (grown < size)
      grown *= 2;
   char *moved = realloc(*buffer, grown);
   if (!moved)
      return -ENOMEM;
   *buffer = moved;
   *capacity = grown;
   return 0;
}

int
stream_receive(struct stream *stream)
{
   for (;;) {
      if (stream->input_size > MAX_HEADER + MAX_BODY)
         return 0; /* a whole message is there; the rest can wait */
      int result = reserve(&stream->input, &stream->input_capacity, stream->input_size + 4096);
      if (result)
         return result;
      ssize_t size = recv(stream->fd, stream->input + stream->input_size, stream->input_capacity - stream->input_size,
                          MSG_DONTWAIT);
      if (size == 0)
         return -EPIPE;
      if (size < 0)
         return errno == EAGAIN || errno == EINTR ? 0 : -errno;
      stream->input_size += size;
   }
}

/* 1: the header is whole; its length and that of the body. 0: not yet. */
static int
parse_header(const struct stream *stream, size_t *header, size_t *body, const char **error)
{
   const char *end = memmem(stream->input, stream->input_size, "\r\n\r\n", 4);
   if (!end) {
      *error = "a header without end";
      return stream->input_size > MAX_HEADER ? -EPROTO : 0;
   }
   *header = end + 4 - stream->input;
   *error = "a header without Content-Length";
   bool found = false;
   for (const char *line = stream->input; line < end;
        line = (const char *)memmem(line, end + 2 - line, "\r\n", 2) + 2) {
      static const char field[] = "Content-Length:";
      size_t length = end - line;
      if (length < sizeof(field) - 1 || strncasecmp(line, field, sizeof(field) - 1) != 0)
         continue;
      const char *digit = line + sizeof(field) - 1;
      while (digit < end && *digit == ' ')
         digit++;
      *body = 0;
      found = *digit >= '0' && *digit <= '9';
      for (; found && digit < end && *digit >= '0' && *digit <= '9'; digit++) {
         *body = *body * 10 + (*digit - '0');
         if (*body > MAX_BODY) {
            *error = "a message that is too long";
            return -EPROTO;
         }
      }
      if (*digit != '\r')
         found = false;
   }
   return found ? 1 : -EPROTO;
}

int
stream_next(struct stream *stream, json_t **message, const char **error)
{
   size_t header, body = 0;
   if (!stream->input_size)
      return 0;
   int result = parse_header(stream, &header, &body, error);
   if (result <= 0)
      return result;
   if (stream->input_size - header < body)
      return 0;
   json_error_t json_error;
   *message = json_loadb(stream->input + header, body, 0, &json_error);
   stream->input_size -= header + body;
   memmove(stream->input, stream->input + header + body, stream->input_size);
   if (json_is_object(*message))
      return 1;
   json_decref(*message);
   *error = "a message that is no JSON object";
   return -EPROTO;
}

int
stream_flush(struct stream *stream)
{
   size_t sent = 0;
   int result = 0;
   while (sent < stream->output_size) {
      ssize_t size = send(stream->fd, stream->output + sent, stream->output_size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (size < 0) {
         if (errno != EAGAIN && errno != EINTR)
            result = -EPIPE;
         break;
      }
      sent += size;
   }
   if (sent) {
      stream->output_size -= sent;
      memmove(stream->output, stream->output + sent, stream->output_size);
   }
   return result;
}

int
stream_send(struct stream *stream, const json_t *message)
{
   char *body = json_dumps(message, JSON_COMPACT);
   if (!body)
      return -ENOMEM;
   size_t length = strlen(body);
   char header[64];
   int header_length = snprintf(header, sizeof(header), "Content-Length: %zu\r\n\r\n", length);
   size_t size = stream->output_size + header_length + length;
   int result = size > MAX_OUTPUT ? -EPIPE : reserve(&stream->output, &stream->output_capacity, size);
   if (!result) {
      memcpy(stream->output + stream->output_size, header, header_length);
      memcpy(stream->output + stream->output_size + header_length, body, length);
      stream->output_size = size;
   }
   free(body);
   return result ? result : stream_flush(stream);
}
