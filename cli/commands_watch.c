/* SPDX-License-Identifier: MIT */
/* watch, rwatch, awatch: stops at what is done to memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* What the engine calls it; NULL: it can't be watched, which has been said. */
static char *
ask_data_id(struct session *session, const char *expression)
{
   json_t *arguments = json_pack("{s:s, s:I}", "name", expression, "threadId", (json_int_t)session->thread);
   if (session->frame)
      json_object_set_new(arguments, "frameId", json_integer(session->frame));
   json_t *body = session_request(session, "dataBreakpointInfo", arguments);
   const char *id = json_text(body, "dataId");
   char *copy = *id ? strdup(id) : NULL;
   if (body && !copy)
      error("%s can't be watched: %s", expression, json_text(body, "description"));
   json_decref(body);
   return copy;
}

static int
set_watchpoint(struct session *session, char *arguments, const char *access)
{
   if (strncmp(arguments, "-l ", 3) == 0) /* as it is anyway: what is watched is the object, not the expression */
      arguments += 3;
   else if (strncmp(arguments, "-location ", 10) == 0)
      arguments += 10;
   arguments += strspn(arguments, " ");
   char *condition = cut_condition(arguments);
   if (!*arguments || (condition && !*condition))
      return error("%s expected", *arguments ? "a condition behind \"if\"" : "an expression");
   if (need_stop(session) < 0)
      return -1;
   char *data_id = ask_data_id(session, arguments);
   if (!data_id)
      return -1;
   struct breakpoint *b = calloc(1, sizeof(*b));
   b->kind = BREAKPOINT_WATCH;
   b->where = strdup(arguments);
   b->access = access;
   b->data_id = data_id;
   b->condition = condition ? strdup(condition) : NULL;
   b->announced = true;
   return breakpoint_add(session, b);
}

int
command_watch(struct session *session, char *arguments)
{
   return set_watchpoint(session, arguments, "write");
}

int
command_rwatch(struct session *session, char *arguments)
{
   return set_watchpoint(session, arguments, "read");
}

int
command_awatch(struct session *session, char *arguments)
{
   return set_watchpoint(session, arguments, "readWrite");
}

int
info_watchpoints(struct session *session, char *arguments)
{
   (void)arguments;
   return breakpoints_list(session, true);
}

/* Where several waves have written, what each has found there is not known. */
static void
show_values(json_t *watch)
{
   const char *old = json_text(watch, "old"), *new = json_text(watch, "new"), *now = json_text(watch, "now");
   if (json_is_true(json_object_get(watch, "shared"))) {
      if (*new)
         printf("New value = %s\n", new);
      printf("(other waves have written it, too, and nobody knows in which order: it was %s before, and is %s now)\n",
             old, *now ? now : new);
      return;
   }
   if (*old)
      printf("Old value = %s\nNew value = %s\n", old, new);
   else
      printf("Value = %s\n", new);
   if (*now)
      printf("(it is %s now: something else has written it since)\n", now);
}

/* As gdb has it, and by which instruction. */
void
show_watch(struct session *session, const struct breakpoint *b, json_t *watch)
{
   printf("\n%s %d: %s\n\n", breakpoint_kind_name(b), b->number, b->where);
   show_values(watch);
   if (*json_text(watch, "instruction")) {
      printf("%s by %s", json_text(watch, "access"), json_text(watch, "instruction"));
      if (json_number(watch, "line"))
         printf(" at %s:%lld", json_text(watch, "file"), (long long)json_number(watch, "line"));
      bool here = session->file && session->line == json_number(watch, "line") &&
                  strcmp(session->file, json_text(watch, "file")) == 0;
      if (!here && *json_text(watch, "text"))
         printf("\n%lld\t%s", (long long)json_number(watch, "line"), json_text(watch, "text"));
   } else {
      printf("by an instruction in front of the pc");
   }
   if (json_is_false(json_object_get(watch, "lanesKnown")))
      printf("\n(which of the lanes is not known: it has overwritten its address)");
   if (!json_is_true(json_object_get(watch, "precise")))
      printf("\n(the card reports this late: it may have been one before)");
   if (*json_text(watch, "trouble"))
      printf("\nerror in the condition: %s", json_text(watch, "trouble"));
   printf("\n");
}
