/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <string.h>
#include <sys/socket.h>

const char *directory;

void
begin(struct session *session, bool ask)
{
   int sockets[2];
   assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
   if (!session->application.dispatches)
      session->application.dispatches = 1;
   if (!session->application.waves)
      session->application.waves = 2;
   session->client = client_create(sockets[0]);
   application_start(&session->application, directory, "calls.gVS.spv", sockets[1]);
   client_start(&session->client, ask);
}

void
end(struct session *session)
{
   client_ended(&session->client);
   client_finish(&session->client);
   application_join(&session->application);
}

void
ask(struct session *session, const char *command, json_t *arguments)
{
   json_decref(client_request(&session->client, command, arguments));
}

json_t *
set_breakpoint(struct session *session, const char *file, int line)
{
   json_t *body =
      client_request(&session->client, "setBreakpoints",
                     json_pack("{s:{s:s}, s:[{s:i}]}", "source", "path", file, "breakpoints", "line", line));
   json_t *breakpoint = json_incref(json_array_get(json_object_get(body, "breakpoints"), 0));
   json_decref(body);
   return breakpoint;
}

void
attach_to(struct session *session, const char *name)
{
   ask(session, "setFunctionBreakpoints", json_pack("{s:[{s:s}]}", "breakpoints", "name", name));
}

void
check_text(json_t *object, const char *field, const char *expected)
{
   const char *text = json_string_value(json_object_get(object, field));
   assert_non_null(text);
   assert_string_equal(text, expected);
}

json_int_t
integer(json_t *object, const char *field)
{
   assert_true(json_is_integer(json_object_get(object, field)));
   return json_integer_value(json_object_get(object, field));
}

json_int_t
expect_stop(struct session *session, const char *reason, int line)
{
   json_t *stop = client_event(&session->client, "stopped"), *header = json_object_get(stop, "hdb");
   check_text(stop, "reason", reason);
   assert_int_equal(integer(header, "line"), line);
   json_int_t thread = integer(stop, "threadId");
   json_decref(stop);
   return thread;
}

void
continue_to_end(struct session *session)
{
   ask(session, "continue", NULL);
   end(session);
}

json_int_t
begin_at_entry(struct session *session)
{
   begin(session, false);
   attach_to(session, "0");
   ask(session, "configurationDone", NULL);
   return expect_stop(session, "entry", 16);
}

json_int_t
step(struct session *session, const char *command, json_int_t thread, const char *reason, int line)
{
   ask(session, command, json_pack("{s:I}", "threadId", thread));
   return expect_stop(session, reason, line);
}

void
expect_result(struct session *session, const char *expression, const char *expected)
{
   json_t *body = client_request(&session->client, "evaluate", json_pack("{s:s}", "expression", expression));
   check_text(body, "result", expected);
   json_decref(body);
}

void
expect_refusal(struct session *session, const char *command, json_t *arguments, const char *expected)
{
   char *message = client_refused(&session->client, command, arguments);
   if (!strstr(message, expected))
      fail_msg("%s: refused with \"%s\", expected \"%s\"", command, message, expected);
   free(message);
}
