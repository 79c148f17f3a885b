/* SPDX-License-Identifier: MIT */
/* One debugged program: connection, handshake, and what the engine tells of it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

void
session_init(struct session *session, const struct session_options *options)
{
   *session = (struct session){.options = *options, .pidfd = -1, .thread = -1};
   session->sources = json_object();
   dap_client_init(&session->client, -1);
}

/* ---- the end ---- */

static void
forget_process(struct session *session)
{
   dap_client_finish(&session->client);
   if (session->pidfd >= 0)
      close(session->pidfd);
   session->pidfd = -1;
   session->pid = 0;
   session->connected = session->configured = false;
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      b->engine_id = 0;
      b->verified = false;
      free(b->message);
      b->message = NULL;
   }
}

static void
report_end(struct session *session, int status)
{
   if (WIFSIGNALED(status)) {
      session->exit_status = 128 + WTERMSIG(status);
      printf("[program killed by signal %d (%s)]\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
   } else {
      session->exit_status = WEXITSTATUS(status);
      if (!session->configured)
         printf("[program exited with code %d; it created no Vulkan device under VK_LAYER_hdb]\n",
                session->exit_status);
      else
         printf("[program exited with code %d]\n", session->exit_status);
   }
   fflush(stdout);
}

/* The connection is gone or the process is. With a program of our own the process decides when it is over. */
static void
end_session(struct session *session)
{
   if (session->pid) {
      int status = 0;
      while (waitpid(session->pid, &status, 0) < 0 && errno == EINTR) {
         if (interrupted) { /* it no longer talks to us, but it can be interrupted as under a shell */
            kill(-session->pid, SIGINT);
            interrupted = 0;
         }
      }
      report_end(session, status);
   } else {
      printf("[the program has ended or closed the connection]\n");
      fflush(stdout);
   }
   forget_process(session);
   session->state = SESSION_ENDED;
}

void
session_finish(struct session *session)
{
   if (session->pid) {
      if (session->connected)
         dap_client_request(&session->client, "disconnect", json_pack("{s:b}", "terminateDebuggee", 1));
      kill(-session->pid, SIGKILL);
      kill(session->pid, SIGKILL);
      waitpid(session->pid, NULL, 0);
   }
   forget_process(session);
   while (session->breakpoints) {
      struct breakpoint *next = session->breakpoints->next;
      free(session->breakpoints->where);
      free(session->breakpoints->message);
      free(session->breakpoints);
      session->breakpoints = next;
   }
   json_decref(session->sources);
   free(session->file);
   free(session->list_file);
}

/* ---- messages from the engine ---- */

static void
set_place(struct session *session, const char *file, unsigned line)
{
   free(session->file);
   session->file = *file && line ? strdup(file) : NULL;
   session->line = session->file ? line : 0;
   free(session->list_file);
   session->list_file = NULL;
   session->list_line = 0;
}

static void
on_stopped(struct session *session, json_t *body)
{
   json_t *stop = json_object_get(body, "hdb");
   session->state = SESSION_STOPPED;
   session->thread = json_number(body, "threadId");
   session->frame = 0;
   session->lane = (unsigned)json_number(stop, "lane");
   session->pc = strtoull(json_text(stop, "pc"), NULL, 16);
   set_place(session, json_text(stop, "file"), (unsigned)json_number(stop, "line"));
   show_stop(session, body);
}

static void
on_breakpoint(struct session *session, json_t *body)
{
   json_t *description = json_object_get(body, "breakpoint");
   int64_t id = json_number(description, "id");
   const char *message = json_text(description, "message");
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      if (b->engine_id != id)
         continue;
      b->verified = json_is_true(json_object_get(description, "verified"));
      if (*message && (!b->message || strcmp(b->message, message) != 0)) {
         free(b->message);
         b->message = strdup(message);
         printf("Breakpoint %d: %s\n", b->number, message);
      }
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
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      if (b->kind == BREAKPOINT_SOURCE)
         session_send_breakpoints(session, b->kind, b->where);
   }
   session_send_breakpoints(session, BREAKPOINT_DISPATCH, NULL);
   session_send_breakpoints(session, BREAKPOINT_ADDRESS, NULL);
   json_decref(session_request(session, "configurationDone", NULL));
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
      const char *answer = prompt_offer(session, json_object_get(message, "arguments"));
      dap_client_respond(&session->client, message, json_pack("{s:s}", "answer", answer));
   } else if (strcmp(type, "response") == 0 && !json_is_true(json_object_get(message, "success"))) {
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
      int result = seq < 0 ? seq : dap_client_receive(&session->client, -1, -1, &message);
      if (result < 0) {
         error("%s: the program closed the connection", command);
         end_session(session);
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
      } else {
         error("%s", *json_text(message, "message") ? json_text(message, "message") : "the engine refused");
      }
      json_decref(message);
      return body;
   }
}

/* One message, or a signal, or the program's end. */
static void
wait_once(struct session *session, int timeout_ms)
{
   json_t *message = NULL;
   int result = dap_client_receive(&session->client, timeout_ms, session->pidfd, &message);
   if (result > 0) {
      handle(session, message);
      json_decref(message);
      return;
   }
   struct pollfd process = {.fd = session->pidfd, .events = POLLIN};
   if (result < 0 || (session->pidfd >= 0 && poll(&process, 1, 0) > 0))
      end_session(session);
}

void
session_wait(struct session *session)
{
   fflush(stdout);
   while (session->state == SESSION_RUNNING) {
      if (interrupted) {
         interrupted = 0;
         if (session->configured)
            dap_client_request(&session->client, "pause", json_pack("{s:I}", "threadId", (json_int_t)session->thread));
         else if (session->pid)
            kill(-session->pid, SIGINT);
      }
      wait_once(session, -1);
   }
}

void
session_poll(struct session *session)
{
   json_t *message;
   int result;
   while (session->connected && (result = dap_client_receive(&session->client, 0, -1, &message)) != 0) {
      if (result < 0) {
         end_session(session);
         return;
      }
      handle(session, message);
      json_decref(message);
   }
}

static void
greet(struct session *session)
{
   session->connected = true;
   session->configured = false;
   session->state = SESSION_RUNNING;
   dap_client_request(&session->client, "initialize",
                      json_pack("{s:s, s:s, s:b, s:b}", "clientID", "hdb", "adapterID", "hdb", "linesStartAt1", 1,
                                "columnsStartAt1", 1));
   dap_client_request(&session->client, "attach", json_pack("{s:b}", "ask", session->ask));
}

int
session_start(struct session *session)
{
   int fd;
   if (launch_program(session->program, &session->options, &session->pid, &fd) < 0)
      return -1;
   session->pidfd = pidfd_open(session->pid, 0);
   dap_client_init(&session->client, fd);
   greet(session);
   return 0;
}

int
session_connect(struct session *session, const char *pid_or_path)
{
   struct sockaddr_un address = {.sun_family = AF_UNIX};
   uint64_t pid;
   const char *runtime = getenv("XDG_RUNTIME_DIR");
   if (strncmp(pid_or_path, "fd:", 3) == 0 && parse_unsigned(pid_or_path + 3, &pid)) {
      fcntl((int)pid, F_SETFD, FD_CLOEXEC);
      dap_client_init(&session->client, (int)pid);
      greet(session);
      return 0;
   }
   if (!parse_unsigned(pid_or_path, &pid))
      snprintf(address.sun_path, sizeof(address.sun_path), "%s", pid_or_path);
   else if (runtime)
      snprintf(address.sun_path, sizeof(address.sun_path), "%s/hdb/%s.sock", runtime, pid_or_path);
   else
      return error("XDG_RUNTIME_DIR is not set: name the socket's path");
   int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
   if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
      int code = errno;
      if (fd >= 0)
         close(fd);
      return error("can't connect to %s: %s", address.sun_path, strerror(code));
   }
   dap_client_init(&session->client, fd);
   greet(session);
   return 0;
}

/* ---- breakpoints ---- */

static json_t *
describe_breakpoint(const struct breakpoint *b)
{
   if (b->kind == BREAKPOINT_SOURCE)
      return json_pack("{s:i}", "line", (int)b->line);
   return json_pack("{s:s}", b->kind == BREAKPOINT_DISPATCH ? "name" : "instructionReference", b->where);
}

static bool
belongs(const struct breakpoint *b, enum breakpoint_kind kind, const char *file)
{
   return b->kind == kind && (!file || strcmp(b->where, file) == 0);
}

/* DAP sets all of a kind (and file) at once. */
int
session_send_breakpoints(struct session *session, enum breakpoint_kind kind, const char *file)
{
   static const char *const requests[] = {
      [BREAKPOINT_SOURCE] = "setBreakpoints",
      [BREAKPOINT_DISPATCH] = "setFunctionBreakpoints",
      [BREAKPOINT_ADDRESS] = "setInstructionBreakpoints",
   };
   if (!session->configured)
      return 0;
   json_t *list = json_array();
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      if (belongs(b, kind, file))
         json_array_append_new(list, describe_breakpoint(b));
   }
   json_t *arguments = json_pack("{s:o}", "breakpoints", list);
   if (file)
      json_object_set_new(arguments, "source", json_pack("{s:s}", "path", file));
   json_t *body = session_request(session, requests[kind], arguments);
   if (!body)
      return -1;
   json_t *answers = json_object_get(body, "breakpoints");
   size_t index = 0;
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      if (!belongs(b, kind, file))
         continue;
      json_t *answer = json_array_get(answers, index++);
      b->engine_id = (int)json_number(answer, "id");
      json_t *event = json_pack("{s:O*}", "breakpoint", answer);
      on_breakpoint(session, event);
      json_decref(event);
   }
   json_decref(body);
   return 0;
}

int
session_select(struct session *session, int64_t thread)
{
   json_t *body = session_request(session, "stackTrace", json_pack("{s:I}", "threadId", (json_int_t)thread));
   if (!body)
      return -1;
   json_t *frame = json_array_get(json_object_get(body, "stackFrames"), 0);
   session->thread = thread;
   session->frame = json_number(frame, "id");
   session->pc = strtoull(json_text(frame, "instructionPointerReference"), NULL, 16);
   set_place(session, json_text(json_object_get(frame, "source"), "path"), (unsigned)json_number(frame, "line"));
   json_decref(body);
   return 0;
}
