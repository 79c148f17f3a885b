/* SPDX-License-Identifier: MIT */
/* backtrace, up, down, frame, and what is in scope there: info frame, locals, args, scope, resources, ... */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- frames ---- */

/* All frames of the wave, with the values of their arguments; NULL after a message. */
static json_t *
request_frames(struct session *session)
{
   return session_request(session, "stackTrace",
                          json_pack("{s:I, s:{s:b, s:b, s:b}}", "threadId", (json_int_t)session->thread, "format",
                                    "parameters", 1, "parameterNames", 1, "parameterValues", 1));
}

static void
print_frame(size_t index, json_t *frame)
{
   printf("#%zu  %s", index, json_text(frame, "name"));
   if (json_number(frame, "line"))
      printf("  at %s:%lld", json_text(json_object_get(frame, "source"), "path"),
             (long long)json_number(frame, "line"));
   printf("\n");
}

int
command_backtrace(struct session *session, char *arguments)
{
   if (arguments[0])
      return error("backtrace takes no arguments");
   if (need_stop(session) < 0)
      return -1;
   json_t *body = request_frames(session);
   if (!body)
      return -1;
   size_t index;
   json_t *frame;
   json_array_foreach (json_object_get(body, "stackFrames"), index, frame)
      print_frame(index, frame);
   json_decref(body);
   return 0;
}

static size_t
current_frame(struct session *session, json_t *frames)
{
   size_t index;
   json_t *frame;
   json_array_foreach (frames, index, frame) {
      if (json_number(frame, "id") == session->frame)
         return index;
   }
   return 0;
}

void
note_returning(struct session *session)
{
   json_t *body = request_frames(session), *frames = json_object_get(body, "stackFrames");
   size_t caller = current_frame(session, frames) + 1;
   session->returning = (uint32_t)json_number(json_array_get(frames, caller), "spirvOffset");
   session->returning_thread = session->thread;
   json_decref(body);
}

/* Looks at the frame `step` further out, or at number `wanted` if that is not negative. */
static int
select_frame(struct session *session, int64_t step, int64_t wanted)
{
   if (need_stop(session) < 0)
      return -1;
   json_t *body = request_frames(session);
   if (!body)
      return -1;
   json_t *frames = json_object_get(body, "stackFrames");
   int64_t count = (int64_t)json_array_size(frames), current = (int64_t)current_frame(session, frames);
   int64_t index = wanted >= 0 ? wanted : current + step, result = 0;
   if (wanted < 0 && index >= count)
      index = count - 1;
   if (wanted < 0 && index < 0)
      index = 0;
   if (index >= count)
      result = error("there are frames 0 to %lld", (long long)count - 1);
   else if (wanted < 0 && step && index == current)
      result = error(step > 0 ? "this is the outermost frame" : "this is the innermost frame");
   if (result == 0) {
      json_t *frame = json_array_get(frames, (size_t)index);
      session_select_frame(session, frame);
      print_frame((size_t)index, frame);
      show_line(session);
   }
   json_decref(body);
   return (int)result;
}

static int
move(struct session *session, const char *arguments, int64_t direction)
{
   uint64_t count = 1;
   if (*arguments && (!parse_unsigned(arguments, &count) || count > 1000))
      return error("\"%s\" is no number of frames", arguments);
   return select_frame(session, direction * (int64_t)count, -1);
}

int
command_up(struct session *session, char *arguments)
{
   return move(session, arguments, 1);
}

int
command_down(struct session *session, char *arguments)
{
   return move(session, arguments, -1);
}

int
command_frame(struct session *session, char *arguments)
{
   uint64_t number;
   if (!*arguments)
      return select_frame(session, 0, -1);
   if (!parse_unsigned(arguments, &number) || number > 1000)
      return error("\"%s\" is no frame", arguments);
   return select_frame(session, 0, (int64_t)number);
}

int
info_frame(struct session *session, char *arguments)
{
   if (need_stop(session) < 0)
      return -1;
   json_t *body = request_frames(session);
   if (!body)
      return -1;
   json_t *frames = json_object_get(body, "stackFrames");
   size_t index = current_frame(session, frames), count = json_array_size(frames);
   print_frame(index, json_array_get(frames, index));
   printf("wave %lld, lane %u, pc 0x%llx\n", (long long)session->thread, session->lane,
          (unsigned long long)session->pc);
   if (index + 1 < count)
      printf("inlined; called from %s:%lld\n",
             json_text(json_object_get(json_array_get(frames, index + 1), "source"), "path"),
             (long long)json_number(json_array_get(frames, index + 1), "line"));
   json_decref(body);
   return 0;
}

/* ---- scopes ---- */

json_t *
request_scopes(struct session *session)
{
   /* A session that has just stopped knows its wave, but no frame yet. */
   json_t *arguments = json_pack("{s:I}", "threadId", (json_int_t)session->thread);
   if (session->frame)
      json_object_set_new(arguments, "frameId", json_integer(session->frame));
   return session_request(session, "scopes", arguments);
}

static void
print_variable(json_t *variable, bool where)
{
   json_t *binding = json_object_get(variable, "binding"), *constant = json_object_get(variable, "constantId");
   const char *name = json_text(variable, "name");
   if (!where) {
      printf("%s", name);
      if (constant && name[0] == '%') /* all that is known of it */
         printf(" (constant_id %lld)", json_integer_value(constant));
      printf(" = %s\n", json_text(variable, "value"));
      return;
   }
   bool block = strcmp(json_text(variable, "type"), name) == 0; /* without a name of its own */
   printf("%s%s%s", json_text(variable, "type"), block ? "" : " ", block ? "" : name);
   if (constant)
      printf("  constant_id %lld", json_integer_value(constant));
   if (json_array_size(binding) == 2)
      printf("  set %lld, binding %lld", json_integer_value(json_array_get(binding, 0)),
             json_integer_value(json_array_get(binding, 1)));
   if (*json_text(variable, "where"))
      printf("  %s", json_text(variable, "where"));
   printf("\n");
}

/* Prints the scopes whose names begin so, and returns how many variables they have; -1 after a message. */
static int
print_scopes(struct session *session, const char *const *names, bool where)
{
   json_t *body = request_scopes(session), *scope, *variable;
   size_t index, v;
   int count = 0;
   if (!body)
      return -1;
   json_array_foreach (json_object_get(body, "scopes"), index, scope) {
      bool wanted = false;
      for (size_t i = 0; names[i]; i++)
         wanted |= strncmp(json_text(scope, "name"), names[i], strlen(names[i])) == 0;
      if (!wanted)
         continue;
      json_t *list = session_request(
         session, "variables",
         json_pack("{s:I}", "variablesReference", (json_int_t)json_number(scope, "variablesReference")));
      json_array_foreach (json_object_get(list, "variables"), v, variable) {
         print_variable(variable, where);
         count++;
      }
      json_decref(list);
   }
   json_decref(body);
   return count;
}

static int
show_scopes(struct session *session, const char *const *names, bool where, const char *none)
{
   if (need_stop(session) < 0)
      return -1;
   int count = print_scopes(session, names, where);
   if (count == 0)
      printf("%s\n", none);
   return count < 0 ? -1 : 0;
}

int
info_locals(struct session *session, char *arguments)
{
   return show_scopes(session, (const char *const[]){"Locals", NULL}, false, "no locals");
}

int
info_args(struct session *session, char *arguments)
{
   return show_scopes(session, (const char *const[]){"Arguments", NULL}, false, "no arguments");
}

int
info_variables(struct session *session, char *arguments)
{
   return show_scopes(session, (const char *const[]){"Globals", "Workgroup", "Constants", NULL}, false, "no globals");
}

int
info_push_constants(struct session *session, char *arguments)
{
   return show_scopes(session, (const char *const[]){"Push constants", NULL}, false, "no push constants");
}

/* What has a name here, and where it is. */
int
info_scope(struct session *session, char *arguments)
{
   return show_scopes(session,
                      (const char *const[]){"Arguments", "Locals", "Globals", "Workgroup", "Resources",
                                            "Push constants", "Constants", NULL},
                      true, "nothing has a name here");
}

int
info_types(struct session *session, char *arguments)
{
   if (need_stop(session) < 0)
      return -1;
   json_t *body = session_request(session, "hdb/types", json_pack("{s:I}", "threadId", (json_int_t)session->thread));
   if (!body)
      return -1;
   size_t index;
   json_t *type;
   json_array_foreach (json_object_get(body, "types"), index, type)
      printf("%s\n", json_string_value(type));
   if (!json_array_size(json_object_get(body, "types")))
      printf("no types\n");
   json_decref(body);
   return 0;
}
