/* SPDX-License-Identifier: MIT */
/* DAP's base protocol: "Content-Length: N\r\n\r\n" and N bytes of JSON. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli.h"

#define MESSAGE_LIMIT (64u << 20)

void
dap_client_init(struct dap_client *client, int fd)
{
   *client = (struct dap_client){.fd = fd, .next_seq = 1};
}

void
dap_client_finish(struct dap_client *client)
{
   if (client->fd >= 0)
      close(client->fd);
   free(client->buffer);
   *client = (struct dap_client){.fd = -1};
}

static int
send_all(int fd, const char *data, size_t size)
{
   while (size) {
      ssize_t n = send(fd, data, size, MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR)
         continue;
      if (n <= 0)
         return -EPIPE;
      data += n;
      size -= (size_t)n;
   }
   return 0;
}

static int
send_message(struct dap_client *client, json_t *message)
{
   int seq = client->next_seq++;
   json_object_set_new(message, "seq", json_integer(seq));
   char *text = json_dumps(message, JSON_COMPACT);
   json_decref(message);
   if (!text)
      return -ENOMEM;
   char header[64];
   int header_length = snprintf(header, sizeof(header), "Content-Length: %zu\r\n\r\n", strlen(text));
   int result = send_all(client->fd, header, (size_t)header_length);
   if (result == 0)
      result = send_all(client->fd, text, strlen(text));
   free(text);
   return result < 0 ? result : seq;
}

int
dap_client_request(struct dap_client *client, const char *command, json_t *arguments)
{
   return send_message(client,
                       json_pack("{s:s, s:s, s:o*}", "type", "request", "command", command, "arguments", arguments));
}

int
dap_client_respond(struct dap_client *client, json_t *request, json_t *body)
{
   return send_message(client, json_pack("{s:s, s:I, s:s, s:b, s:o*}", "type", "response", "request_seq",
                                         (json_int_t)json_number(request, "seq"), "command",
                                         json_text(request, "command"), "success", 1, "body", body));
}

/* 1: the first message in the buffer, taken out; 0: incomplete; -EPROTO. */
static int
take_message(struct dap_client *client, json_t **message)
{
   char *end = client->length ? memmem(client->buffer, client->length, "\r\n\r\n", 4) : NULL;
   if (!end)
      return client->length > 4096 ? -EPROTO : 0;
   static const char name[] = "Content-Length:";
   if (strncmp(client->buffer, name, sizeof(name) - 1) != 0)
      return -EPROTO;
   char *digits_end;
   unsigned long length = strtoul(client->buffer + sizeof(name) - 1, &digits_end, 10);
   if (length == 0 || length > MESSAGE_LIMIT || (*digits_end != '\r'))
      return -EPROTO;
   size_t start = (size_t)(end + 4 - client->buffer);
   if (client->length - start < length)
      return 0;
   *message = json_loadb(client->buffer + start, length, 0, NULL);
   client->length -= start + length;
   memmove(client->buffer, client->buffer + start + length, client->length);
   if (!json_is_object(*message)) {
      json_decref(*message);
      return -EPROTO;
   }
   escape_json(*message, "");
   return 1;
}

static int
read_more(struct dap_client *client)
{
   if (client->capacity - client->length < 65536) {
      size_t capacity = client->capacity ? client->capacity * 2 : 131072;
      char *buffer = realloc(client->buffer, capacity);
      if (!buffer)
         return -ENOMEM;
      client->buffer = buffer;
      client->capacity = capacity;
   }
   ssize_t n = read(client->fd, client->buffer + client->length, client->capacity - client->length);
   if (n < 0 && (errno == EINTR || errno == EAGAIN))
      return 0;
   if (n <= 0)
      return -EPIPE;
   client->length += (size_t)n;
   return 0;
}

int
dap_client_receive(struct dap_client *client, int timeout_ms, int other_fd, json_t **message)
{
   for (;;) {
      int result = take_message(client, message);
      if (result != 0)
         return result;
      struct pollfd fds[2] = {{.fd = client->fd, .events = POLLIN}, {.fd = other_fd, .events = POLLIN}};
      int ready = poll(fds, 2, timeout_ms);
      if (ready <= 0 || !fds[0].revents)
         return 0;
      result = read_more(client);
      if (result < 0)
         return result;
   }
}
