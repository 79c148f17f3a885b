/* SPDX-License-Identifier: MIT */
#include "dap/session.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dap/requests.h"
#include "dap/stream.h"

struct session {
   struct hdb_engine *engine;
   struct stream stream;
   int seq;
   bool initialized, configured;
   bool broken; /* what is sent goes nowhere */
};

struct session *
session_create(struct hdb_engine *engine, int fd)
{
   struct session *session = calloc(1, sizeof(*session));
   if (!session) {
      close(fd);
      return NULL;
   }
   session->engine = engine;
   stream_init(&session->stream, fd);
   return session;
}

void
session_destroy(struct session *session)
{
   if (!session)
      return;
   stream_finish(&session->stream);
   free(session);
}

int
session_fd(const struct session *session)
{
   return session->stream.fd;
}

bool
session_wants_to_write(const struct session *session)
{
   return stream_wants_to_write(&session->stream);
}

bool
session_is_initialized(const struct session *session)
{
   return session->initialized;
}

size_t
session_unsent(const struct session *session)
{
   return session->stream.output_size;
}

void
session_drain(struct session *session)
{
   stream_drain(&session->stream);
}

bool
session_is_configured(const struct session *session)
{
   return session->configured;
}

/* ---- sending ---- */

static int
send_message(struct session *session, json_t *message)
{
   int seq = ++session->seq;
   json_object_set_new(message, "seq", json_integer(seq));
   if (stream_send(&session->stream, message))
      session->broken = true;
   json_decref(message);
   return seq;
}

void
session_send_event(struct session *session, const char *event, json_t *body)
{
   json_t *message = json_pack("{s:s, s:s}", "type", "event", "event", event);
   if (body)
      json_object_set_new(message, "body", body);
   send_message(session, message);
}

int
session_send_request(struct session *session, const char *command, json_t *arguments)
{
   return send_message(session, json_pack("{s:s, s:s, s:o}", "type", "request", "command", command, "arguments",
                                          arguments ? arguments : json_object()));
}

static void
send_response(struct session *session, json_int_t request_seq, const char *command, json_t *body, const char *error)
{
   json_t *message = json_pack("{s:s, s:I, s:b, s:s}", "type", "response", "request_seq", request_seq, "success",
                               error == NULL, "command", command);
   if (!message) /* the command is no UTF-8 */
      return;
   if (error) {
      json_object_set_new(message, "message", json_string(error));
      json_object_set_new(message, "body", json_pack("{s:{s:i, s:s}}", "error", "id", 1, "format", error));
   } else if (body) {
      json_object_set(message, "body", body);
   }
   send_message(session, message);
}

/* ---- receiving ---- */

/* False: the session is over. */
static bool
handle_request(struct session *session, const json_t *message, json_int_t seq)
{
   struct hdb_engine *engine = session->engine;
   const char *command = get_string(message, "command");
   json_t *arguments = json_object_get(message, "arguments");
   if (!command) {
      send_response(session, seq, "", NULL, "a request without a command");
      return true;
   }
   request_handler handler = find_request_handler(command);
   json_t *empty = json_object();
   struct request request = {
      .engine = engine,
      .session = session,
      .arguments = json_is_object(arguments) ? arguments : empty,
   };
   int result;
   bool refused = session == engine->refused;
   if (refused && handler != handle_hdb_trigger)
      result = request_fail(&request, "another debugger is attached to this process");
   else if (!handler)
      result = request_fail(&request, "unknown request \"%s\"", command);
   else if (!session->initialized && handler != handle_hdb_trigger && strcmp(command, "initialize") != 0 &&
            strcmp(command, "disconnect") != 0)
      result = request_fail(&request, "\"initialize\" comes first");
   else
      result = handler(&request);
   if (result)
      send_response(session, seq, command, NULL, request.error ? request.error : strerror(-result));
   else
      send_response(session, seq, command, request.body, NULL);
   json_decref(request.body);
   json_decref(empty);
   free(request.error);
   if (result)
      return !refused;

   session->initialized |= handler != handle_hdb_trigger;
   if (request.initialized)
      session_send_event(session, "initialized", NULL);
   if (request.configured && !session->configured) {
      session->configured = true;
      engine_begin_session(engine);
   }
   if (request.terminate) {
      engine_end_session(engine); /* the session is gone from here on */
      engine_stop_listening(engine);
      kill(getpid(), SIGTERM);
      return true;
   }
   return !request.goodbye;
}

static void
handle_response(struct session *session, const json_t *message)
{
   struct hdb_engine *engine = session->engine;
   const char *answer = get_string(json_object_get(message, "body"), "answer");
   const char *which = get_string(json_object_get(message, "body"), "which");
   if (session == engine->session && engine->offer_seq && get_integer(message, "request_seq", 0) == engine->offer_seq)
      engine_answer_offer(engine, answer ? answer : "no", which);
}

bool
session_process(struct session *session)
{
   struct hdb_engine *engine = session->engine;
   bool alive = stream_receive(&session->stream) == 0;
   json_t *message;
   const char *error;
   int result;
   while ((result = stream_next(&session->stream, &message, &error)) > 0) {
      const char *type = get_string(message, "type");
      json_int_t seq = get_integer(message, "seq", 0);
      bool go_on = true;
      if (type && strcmp(type, "request") == 0)
         go_on = handle_request(session, message, seq);
      else if (type && strcmp(type, "response") == 0)
         handle_response(session, message);
      else if (!type || strcmp(type, "event") != 0)
         send_response(session, seq, "", NULL, "neither a request, a response nor an event");
      json_decref(message);
      if (engine->session != session && engine->refused != session) /* ended by what it asked for */
         return true;
      if (!go_on)
         return false;
   }
   if (result < 0) {
      fprintf(stderr, "hdb: debugger disconnected: it sent %s\n", error);
      return false;
   }
   if (stream_flush(&session->stream))
      session->broken = true;
   return alive && !session->broken;
}
