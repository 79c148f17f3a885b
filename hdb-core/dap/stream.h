/* SPDX-License-Identifier: MIT */
/* The base protocol of DAP on a socket: JSON messages, each behind a Content-Length header. Only draining blocks. */
#ifndef HDB_STREAM_H
#define HDB_STREAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct stream {
   int fd;
   char *input, *output;
   size_t input_size, input_capacity;
   size_t output_size, output_capacity;
};

void stream_init(struct stream *stream, int fd); /* takes the descriptor, sets it non-blocking */
void stream_finish(struct stream *stream);       /* drains and closes it */

/* Reads what has arrived. 0, -EPIPE at the end of the connection, another negative errno. */
int stream_receive(struct stream *stream);

/* The next whole message. 1: *message (to be released), 0: none yet, -EPROTO: not DAP; *error says what is wrong (a
 * constant) and the connection is of no more use. */
int stream_next(struct stream *stream, json_t **message, const char **error);

/* Queues a message and sends what can be sent. -EPIPE: the peer is gone or does not read. */
int stream_send(struct stream *stream, const json_t *message);
int stream_flush(struct stream *stream);
/* Sends what is queued, as long as the peer takes some of it again and again. */
void stream_drain(struct stream *stream);

static inline bool
stream_wants_to_write(const struct stream *stream)
{
   return stream->output_size > 0;
}

#endif
