/* SPDX-License-Identifier: MIT */
/* One connected DAP client. docs/protocol.md says what it speaks beyond DAP itself. */
#ifndef HDB_SESSION_H
#define HDB_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct hdb_engine;
struct session;

struct session *session_create(struct hdb_engine *engine, int fd); /* takes the descriptor */
void session_destroy(struct session *session);

int session_fd(const struct session *session);
bool session_wants_to_write(const struct session *session);
size_t session_unsent(const struct session *session); /* bytes that the client has yet to take */
bool session_is_initialized(const struct session *session);
bool session_is_configured(const struct session *session);

/* Handles what has arrived. False: the client is gone or has said good-bye. */
bool session_process(struct session *session);

void session_drain(struct session *session); /* waits for a client that takes what it was sent */

/* Both take `body` over; NULL: none. A failing connection is noticed by the next session_process. */
void session_send_event(struct session *session, const char *event, json_t *body);
int session_send_request(struct session *session, const char *command, json_t *arguments); /* returns its seq */

#endif
