/* SPDX-License-Identifier: MIT */
/* One debugged program: the handshake, and what the engine tells of it. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

void
session_init(struct session *session, const struct session_options *options)
{
   *session = (struct session){.options = *options, .pidfd = -1, .launch_fd = -1, .engine_pidfd = -1, .thread = -1};
   session->sources = json_object();
   dap_client_init(&session->client, -1);
}

/* ---- messages from the engine ---- */

static void
set_place(struct session *session, const char *file, unsigned line, uint32_t module)
{
   session->module = module;
   free(session->file);
   session->file = *file && line ? strdup(file) : NULL;
   session->line = session->file ? line : 0;
   free(session->list_file);
   session->list_file = NULL;
   session->list_line = 0;
}

/* The count is the first one's, that of others comes with `info`. */
static void
note_hits(struct session *session, json_t *body)
{
   json_t *ids = json_object_get(body, "hitBreakpointIds");
   for (size_t i = 0; i < json_array_size(ids); i++) {
      for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
         if (b->engine_id != json_integer_value(json_array_get(ids, i)))
            continue;
         if (!i)
            breakpoint_note_hits(b, json_object_get(body, "hdb"));
         session->breakpoints_done |= b->temporary;
      }
   }
}

static void
on_stopped(struct session *session, json_t *body)
{
   json_t *stop = json_object_get(body, "hdb");
   session->state = SESSION_STOPPED;
   session->awaits_frame |= session->in_frame && !(session->pid && session->options.batch);
   session->stepped = strcmp(json_text(body, "reason"), "step") == 0;
   if (strcmp(json_text(body, "reason"), "entry") == 0) {
      free(session->chosen);
      session->chosen = NULL;
   }
   session->thread = json_number(body, "threadId");
   session->frame = 0;
   session->lane = (unsigned)json_number(stop, "lane");
   session->pc = strtoull(json_text(stop, "pc"), NULL, 16);
   set_place(session, json_text(stop, "file"), (unsigned)json_number(stop, "line"),
             (uint32_t)json_number(stop, "module"));
   session_show_changes(session);
   note_hits(session, body);
   show_stop(session, body);
   session->displays_due = true;
}

static bool
is_pending(json_t *description)
{
   return strcmp(json_text(description, "reason"), "pending") == 0;
}

static void
show_message(struct breakpoint *b)
{
   printf("%s %d: %s\n", breakpoint_kind_name(b), b->number, b->message);
   free(b->shown);
   b->shown = strdup(b->message);
}

/* What is worth a line at once: what becomes of a breakpoint at first. Neither at the start nor when its shaders go is
 * it news that it waits for one, and programs make a thousand pipelines of one shader: see session_show_changes. */
static bool
is_news(const struct breakpoint *b, json_t *description)
{
   if (b->announced && (b->kind == BREAKPOINT_DISPATCH || is_pending(description)))
      return false;
   return !b->shown || !b->met;
}

static void
take_description(struct breakpoint *b, json_t *description)
{
   const char *message = json_text(description, "message");
   bool changed = *message && (!b->message || strcmp(b->message, message) != 0);
   b->verified = json_is_true(json_object_get(description, "verified"));
   b->refused = strcmp(json_text(description, "reason"), "failed") == 0;
   if (changed) {
      free(b->message);
      b->message = strdup(message);
   }
   if (changed && !b->refused && is_news(b, description))
      show_message(b);
   breakpoint_note_hits(b, description);
   b->met |= b->verified && !is_pending(description);
   b->announced = true;
}

void
session_show_changes(struct session *session)
{
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      if (b->kind != BREAKPOINT_DISPATCH && b->kind != BREAKPOINT_WATCH && b->verified && b->shown &&
          strcmp(b->shown, b->message) != 0)
         show_message(b);
   }
}

static void
on_breakpoint(struct session *session, json_t *body)
{
   json_t *description = json_object_get(body, "breakpoint");
   int64_t id = json_number(description, "id");
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      if (b->engine_id != id)
         continue;
      if (strcmp(json_text(body, "reason"), "removed") == 0)
         b->gone = session->breakpoints_done = true;
      else
         take_description(b, description);
   }
}

static void
on_output(json_t *body)
{
   const char *text = json_text(body, "output");
   size_t length = strlen(text);
   printf("%s%s", text, length && text[length - 1] == '\n' ? "" : "\n");
   fflush(stdout);
}

/* The engine is ready for breakpoints; after configurationDone the program goes on. */
static void
configure(struct session *session)
{
   session->configured = true;
   breakpoints_begin_process(session);
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      if (b->kind == BREAKPOINT_SOURCE)
         session_send_breakpoints(session, b->kind, b->where, b->module);
   }
   session_send_breakpoints(session, BREAKPOINT_DISPATCH, NULL, 0);
   session_send_breakpoints(session, BREAKPOINT_ADDRESS, NULL, 0);
   session->dropped |= breakpoints_drop_refused(session, true) < 0;
   if (session->filter)
      session_send_filter(session);
   session_send_print(session);
   if (session->options.capture)
      session_send_capture(session);
   else if (session->options.frame >= 0)
      session_send_trigger(session, "stop", session->options.frame, NULL, NULL, NULL);
   json_t *body = session_request(session, "configurationDone", NULL);
   session->stops = !json_is_false(json_object_get(body, "stops"));
   session->holds = json_is_true(json_object_get(body, "holds"));
   json_decref(body);
}

static void
on_event(struct session *session, json_t *message)
{
   const char *event = json_text(message, "event");
   json_t *body = json_object_get(message, "body");
   if (strcmp(event, "stopped") == 0)
      on_stopped(session, body);
   else if (strcmp(event, "continued") == 0 && session->state == SESSION_STOPPED)
      session->state = SESSION_RUNNING;
   else if (strcmp(event, "breakpoint") == 0)
      on_breakpoint(session, body);
   else if (strcmp(event, "output") == 0)
      on_output(body);
   else if (strcmp(event, "hdb/frame") == 0)
      session_note_frame(session, body);
   else if (strcmp(event, "hdb/captured") == 0)
      session_note_captured(session, body);
   else if (strcmp(event, "initialized") == 0)
      configure(session);
}

static void
handle(struct session *session, json_t *message)
{
   const char *type = json_text(message, "type");
   if (strcmp(type, "event") == 0) {
      on_event(session, message);
   } else if (strcmp(type, "request") == 0 && strcmp(json_text(message, "command"), "hdb/offer") == 0) {
      dap_client_respond(&session->client, message, prompt_offer(session, json_object_get(message, "arguments")));
   } else if (strcmp(type, "response") == 0 && !json_is_true(json_object_get(message, "success"))) {
      session->refused |= strcmp(json_text(message, "command"), "initialize") == 0;
      error("%s: %s", json_text(message, "command"), json_text(message, "message"));
   }
}

/* ---- sending and waiting ---- */

json_t *
session_request(struct session *session, const char *command, json_t *arguments)
{
   if (!session->connected) {
      json_decref(arguments);
      error("no program is being debugged");
      return NULL;
   }
   int seq = dap_client_request(&session->client, command, arguments);
   for (;;) {
      json_t *message = NULL;
      int result = seq < 0 ? seq : dap_client_receive(&session->client, -1, session->engine_pidfd, &message);
      struct pollfd process = {.fd = session->engine_pidfd, .events = POLLIN};
      if (result < 0 || (result == 0 && poll(&process, 1, 0) > 0)) {
         error("%s: the program closed the connection", command);
         session_hung_up(session);
         return NULL;
      }
      if (result == 0)
         continue;
      if (strcmp(json_text(message, "type"), "response") != 0 || json_number(message, "request_seq") != seq) {
         handle(session, message);
         json_decref(message);
         if (!session->connected)
            return NULL;
         continue;
      }
      json_t *body = NULL;
      if (json_is_true(json_object_get(message, "success"))) {
         body = json_object_get(message, "body");
         body = body ? json_incref(body) : json_object();
      } else if (!session->quiet) {
         error("%s", *json_text(message, "message") ? json_text(message, "message") : "the engine refused");
      }
      json_decref(message);
      return body;
   }
}

size_t
session_fds(const struct session *session, struct pollfd fds[SESSION_FDS])
{
   const int all[SESSION_FDS] = {session->client.fd, session->pidfd, session->launch_fd, session->engine_pidfd};
   for (size_t i = 0; i < SESSION_FDS; i++)
      fds[i] = (struct pollfd){.fd = all[i], .events = POLLIN};
   return SESSION_FDS;
}

bool
session_wait_once(struct session *session, int timeout_ms)
{
   json_t *message = NULL;
   int result = session->connected ? dap_client_receive(&session->client, 0, -1, &message) : 0;
   if (result > 0) {
      handle(session, message);
      json_decref(message);
      return true;
   }
   if (result < 0) {
      session_hung_up(session);
      return true;
   }
   struct pollfd fds[SESSION_FDS];
   if (terminal_poll(fds, session_fds(session, fds), timeout_ms) <= 0)
      return false;
   if (fds[0].revents) /* before anything else: the next call takes it */
      return true;
   if (fds[1].revents)
      session_end(session);
   else if (fds[3].revents)
      session_hung_up(session);
   else
      session_accept(session);
   return true;
}

/* Ctrl-C while we wait: stops the waves, if anybody wants to look at them. The second one gives the prompt back
 * (false), or ends what has none. */
static bool
interrupt(struct session *session, bool first)
{
   interrupted = 0;
   if (session->configured && first && !session->runs_by_itself)
      return dap_client_request(&session->client, "pause",
                                json_pack("{s:I}", "threadId", (json_int_t)session->thread)) >= 0;
   if (session->pid && (!session->configured || session->options.batch)) {
      kill(-session->pid, SIGINT); /* as under a shell */
      return true;
   }
   if (session->options.batch)
      prompt_quit();
   else
      printf("[the program runs on; `continue` waits for it to stop]\n");
   return false;
}

void
session_wait(struct session *session)
{
   bool paused = false;
   session->awaits_frame &= !session->frame_over; /* else that was told at the stop */
   if (session->state == SESSION_RUNNING)
      terminal_give();
   fflush(stdout);
   while (session->state == SESSION_RUNNING &&
          !(session->awaits_frame && session->frame_over && !session->awaits_capture)) {
      if (interrupted) {
         if (!interrupt(session, !paused))
            return;
         paused = true;
      }
      session_wait_once(session, -1);
   }
   session->awaits_frame &= !session->frame_over;
   if (session->breakpoints_done)
      breakpoints_remove_done(session);
   if (session->displays_due)
      displays_show(session);
}

void
session_poll(struct session *session)
{
   while (session_wait_once(session, 0))
      continue;
   if (session->breakpoints_done)
      breakpoints_remove_done(session);
   if (session->displays_due)
      displays_show(session);
}

/* ---- breakpoints ---- */

static json_t *
describe_breakpoint(const struct breakpoint *b)
{
   json_t *json = b->kind == BREAKPOINT_SOURCE     ? json_pack("{s:i}", "line", (int)b->line)
                  : b->kind == BREAKPOINT_DISPATCH ? json_pack("{s:s}", "name", b->where)
                  : b->kind == BREAKPOINT_ADDRESS
                     ? json_pack("{s:s}", "instructionReference", b->where)
                     : json_pack("{s:s, s:s}", "dataId", b->data_id, "accessType", b->access);
   if (b->condition)
      json_object_set_new(json, "condition", json_string(b->condition));
   if (b->ignored > b->base)
      json_object_set_new(json, "hitCondition", json_sprintf("> %llu", (unsigned long long)(b->ignored - b->base)));
   if (b->format) {
      json_object_set_new(json, "hdb/format", json_string(b->format));
      json_object_set(json, "hdb/arguments", b->arguments);
   }
   return json;
}

static bool
belongs(const struct breakpoint *b, enum breakpoint_kind kind, const char *file, uint32_t module)
{
   return b->kind == kind && !b->disabled && (!file || (b->module == module && strcmp(b->where, file) == 0));
}

/* DAP sets all of a kind (and source) at once. */
int
session_send_breakpoints(struct session *session, enum breakpoint_kind kind, const char *file, uint32_t module)
{
   static const char *const requests[] = {
      [BREAKPOINT_SOURCE] = "setBreakpoints",
      [BREAKPOINT_DISPATCH] = "setFunctionBreakpoints",
      [BREAKPOINT_ADDRESS] = "setInstructionBreakpoints",
      [BREAKPOINT_WATCH] = "setDataBreakpoints",
   };
   if (!session->configured)
      return 0;
   json_t *list = json_array();
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      if (belongs(b, kind, file, module))
         json_array_append_new(list, describe_breakpoint(b));
   }
   json_t *arguments = json_pack("{s:o}", "breakpoints", list);
   if (file)
      json_object_set_new(arguments, "source",
                          json_pack("{s:s, s:I}", "path", file, "sourceReference", (json_int_t)module));
   json_t *body = session_request(session, requests[kind], arguments);
   if (!body)
      return -1;
   json_t *answers = json_object_get(body, "breakpoints");
   size_t index = 0;
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      if (!belongs(b, kind, file, module))
         continue;
      json_t *answer = json_array_get(answers, index++);
      b->engine_id = (int)json_number(answer, "id");
      take_description(b, answer);
   }
   json_decref(body);
   return 0;
}

int
session_send_filter(struct session *session)
{
   if (!session->configured)
      return 0;
   json_t *filter = session->filter ? json_incref(session->filter) : json_null();
   json_t *body = session_request(session, "hdb/setFilter", json_pack("{s:o}", "workgroup", filter));
   json_decref(body);
   return body ? 0 : -1;
}

int
session_select(struct session *session, int64_t thread)
{
   json_t *body = session_request(session, "stackTrace", json_pack("{s:I}", "threadId", (json_int_t)thread));
   if (!body)
      return -1;
   json_t *frame = json_array_get(json_object_get(body, "stackFrames"), 0);
   session->thread = thread;
   session->pc = strtoull(json_text(frame, "instructionPointerReference"), NULL, 16);
   session_select_frame(session, frame);
   json_decref(body);
   return 0;
}

void
session_select_frame(struct session *session, json_t *frame)
{
   session->frame = json_number(frame, "id");
   set_place(session, json_text(json_object_get(frame, "source"), "path"), (unsigned)json_number(frame, "line"),
             (uint32_t)json_number(frame, "moduleId"));
}
