/* SPDX-License-Identifier: MIT */
/* A session on a machine that is none: a client, the engine, an application. */
#ifndef TEST_FIXTURE_H
#define TEST_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client.h"
#include "fake_machine.h"

extern const char *directory; /* of the modules that the application's shaders are made from */

#define FILE_NAME "calls.comp"

struct session {
   struct application application;
   struct client client;
};

void begin(struct session *session, bool ask);
json_int_t begin_at_entry(struct session *session); /* of the first dispatch's first wave; its thread */
void end(struct session *session);
void continue_to_end(struct session *session);

void ask(struct session *session, const char *command, json_t *arguments);
json_t *set_breakpoint(struct session *session, const char *file, int line); /* the answer's Breakpoint */
void attach_to(struct session *session, const char *name);
void check_text(json_t *object, const char *field, const char *expected);
json_int_t integer(json_t *object, const char *field);
/* Waits for a stop and checks its reason and line; returns the thread. */
json_int_t expect_stop(struct session *session, const char *reason, int line);
json_int_t step(struct session *session, const char *command, json_int_t thread, const char *reason, int line);
void expect_result(struct session *session, const char *expression, const char *expected);
void expect_refusal(struct session *session, const char *command, json_t *arguments, const char *expected);

#endif
