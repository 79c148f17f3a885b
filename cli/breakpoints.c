/* SPDX-License-Identifier: MIT */
/* The breakpoints there are: condition, ignore, enable, disable, delete, info; and what becomes of them in the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

void
breakpoint_free(struct breakpoint *b)
{
   free(b->where);
   free(b->message);
   free(b->shown);
   free(b->unmet);
   free(b->condition);
   free(b->format);
   free(b->typed);
   free(b->data_id);
   json_decref(b->arguments);
   free(b);
}

void
breakpoints_free(struct session *session)
{
   while (session->breakpoints) {
      struct breakpoint *next = session->breakpoints->next;
      breakpoint_free(session->breakpoints);
      session->breakpoints = next;
   }
}

void
breakpoint_format_place(const struct breakpoint *b, char text[256])
{
   if (b->kind == BREAKPOINT_SOURCE)
      snprintf(text, 256, "%s:%u", b->where, b->line);
   else if (b->kind == BREAKPOINT_WATCH)
      snprintf(text, 256, "%s of %s", strcmp(b->access, "readWrite") == 0 ? "read, write" : b->access, b->where);
   else
      snprintf(text, 256, "%s%s", b->kind == BREAKPOINT_DISPATCH ? "dispatch " : "", b->where);
}

const char *
breakpoint_kind_name(const struct breakpoint *b)
{
   if (b->kind == BREAKPOINT_WATCH && strncmp(b->data_id, "register|", 9) == 0)
      return "Watchpoint";
   if (b->kind == BREAKPOINT_WATCH)
      return strcmp(b->access, "write") == 0  ? "Hardware watchpoint"
             : strcmp(b->access, "read") == 0 ? "Hardware read watchpoint"
                                              : "Hardware access (read/write) watchpoint";
   return b->format ? "Dprintf" : b->temporary ? "Temporary breakpoint" : "Breakpoint";
}

/* Those that the engine refused don't stay. */
int
breakpoints_drop_refused(struct session *session, bool named)
{
   char where[256];
   int result = 0;
   for (struct breakpoint **place = &session->breakpoints; *place;) {
      struct breakpoint *b = *place;
      if (!b->refused) {
         place = &b->next;
         continue;
      }
      const char *why = b->message ? b->message : "the engine refused the breakpoint";
      breakpoint_format_place(b, where);
      result = named ? error("%s %d at %s: %s", breakpoint_kind_name(b), b->number, where, why) : error("%s", why);
      *place = b->next;
      breakpoint_free(b);
   }
   return result;
}

int
breakpoint_send(struct session *session, const struct breakpoint *b)
{
   return session_send_breakpoints(session, b->kind, b->kind == BREAKPOINT_SOURCE ? b->where : NULL, b->module);
}

/* ---- by number ---- */

static struct breakpoint *
find_breakpoint(struct session *session, const char *text)
{
   uint64_t number;
   if (!parse_unsigned(text, &number)) {
      error("\"%s\" is no breakpoint's number", text);
      return NULL;
   }
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      if ((uint64_t)b->number == number)
         return b;
   }
   error("no breakpoint %s", text);
   return NULL;
}

/* For each of the numbers: all must be there before anything is done. */
static int
for_each_number(struct session *session, char *arguments, int (*act)(struct session *session, struct breakpoint *b))
{
   char *copy = strdup(arguments), *rest = copy, *word;
   int result = 0;
   while (!result && (word = strsep(&rest, " ,")))
      result = *word && !find_breakpoint(session, word) ? -1 : 0;
   free(copy);
   while (!result && (word = strsep(&arguments, " ,"))) {
      struct breakpoint *b = *word ? find_breakpoint(session, word) : NULL;
      result = b ? act(session, b) : *word ? -1 : 0;
   }
   return result;
}

static int
for_all(struct session *session, int (*act)(struct session *session, struct breakpoint *b))
{
   int result = 0;
   for (struct breakpoint *b = session->breakpoints, *next; b && !result; b = next) {
      next = b->next;
      result = act(session, b);
   }
   return result;
}

/* ---- delete, enable, disable ---- */

static int delete (struct session *session, struct breakpoint *b)
{
   struct breakpoint **place = &session->breakpoints;
   while (*place != b)
      place = &(*place)->next;
   *place = b->next;
   breakpoint_send(session, b);
   breakpoint_free(b);
   return 0;
}

int
command_delete(struct session *session, char *arguments)
{
   session_poll(session);
   if (arguments[0])
      return for_each_number(session, arguments, delete);
   if (!session->breakpoints || !prompt_confirm(session, "Delete all breakpoints?"))
      return 0;
   return for_all(session, delete);
}

static int
enable(struct session *session, struct breakpoint *b)
{
   b->disabled = false;
   return breakpoint_send(session, b);
}

static int
disable(struct session *session, struct breakpoint *b)
{
   breakpoints_update_hits(session);
   b->disabled = true;
   b->base = b->hits;
   b->engine_id = 0;
   return breakpoint_send(session, b);
}

int
command_enable(struct session *session, char *arguments)
{
   session_poll(session);
   return arguments[0] ? for_each_number(session, arguments, enable) : for_all(session, enable);
}

int
command_disable(struct session *session, char *arguments)
{
   session_poll(session);
   return arguments[0] ? for_each_number(session, arguments, disable) : for_all(session, disable);
}

void
breakpoints_remove_done(struct session *session)
{
   session->breakpoints_done = false;
   for (struct breakpoint *b = session->breakpoints, *next; b; b = next) {
      next = b->next;
      if (b->gone)
         printf("\nWatchpoint %d deleted because the program has left the block in\n"
                "which its expression is valid.\n",
                b->number);
      if (b->gone || (b->temporary && b->hits))
         delete (session, b);
   }
}

/* ---- condition, ignore ---- */

/* "3 rest": the rest, trimmed; `arguments` keeps the number. */
static char *
split_number(char *arguments)
{
   char *rest = arguments + strcspn(arguments, " ");
   if (*rest)
      *rest++ = '\0';
   return rest + strspn(rest, " ");
}

/* The engine has refused the new one, and dropped the breakpoint with it: the old one is as it was. */
static int
restore_condition(struct session *session, struct breakpoint *b, char *before)
{
   int result = error("%s: %s", b->condition, b->message);
   free(b->condition);
   b->condition = before;
   b->base = b->hits;
   b->engine_id = 0;
   breakpoint_send(session, b);
   return result;
}

int
command_condition(struct session *session, char *arguments)
{
   char *condition = split_number(arguments);
   if (!*arguments)
      return error("condition of which breakpoint? condition NUMBER [EXPRESSION]");
   session_poll(session);
   struct breakpoint *b = find_breakpoint(session, arguments);
   if (!b)
      return -1;
   if (*condition && b->kind == BREAKPOINT_DISPATCH && check_dispatch_condition(condition) < 0)
      return -1;
   breakpoints_update_hits(session);
   char *before = b->condition;
   b->condition = *condition ? strdup(condition) : NULL;
   if (!*condition)
      printf("Breakpoint %d now unconditional.\n", b->number);
   if (breakpoint_send(session, b) < 0 || !b->refused) {
      free(before);
      return session->connected || !session->configured ? 0 : -1;
   }
   return restore_condition(session, b, before);
}

int
command_ignore(struct session *session, char *arguments)
{
   uint64_t count;
   char *text = split_number(arguments);
   if (!*arguments)
      return error("ignore hits of which breakpoint? ignore NUMBER COUNT");
   session_poll(session);
   struct breakpoint *b = find_breakpoint(session, arguments);
   if (!b)
      return -1;
   if (b->kind == BREAKPOINT_DISPATCH)
      return error("breakpoint %d is one of dispatches, which are not counted; catch NAME if number > 3", b->number);
   if (!parse_unsigned(text, &count) || count > INT32_MAX)
      return error("\"%s\" is no count; ignore NUMBER COUNT", text);
   breakpoints_update_hits(session);
   b->ignored = b->hits + count;
   if (count)
      printf("Will ignore next %llu crossings of breakpoint %d.\n", (unsigned long long)count, b->number);
   else
      printf("Will stop next time breakpoint %d is reached.\n", b->number);
   return breakpoint_send(session, b);
}

/* ---- hits ---- */

void
breakpoint_note_hits(struct breakpoint *b, json_t *description)
{
   if (json_is_integer(json_object_get(description, "hits")))
      b->hits = b->base + (uint64_t)json_number(description, "hits");
}

void
breakpoints_update_hits(struct session *session)
{
   if (!session->connected || !session->configured)
      return;
   json_t *body = session_request(session, "hdb/breakpoints", NULL), *description;
   size_t index;
   json_array_foreach (json_object_get(body, "breakpoints"), index, description) {
      for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
         if (b->engine_id == json_number(description, "id"))
            breakpoint_note_hits(b, description);
      }
   }
   json_decref(body);
}

void
breakpoints_begin_process(struct session *session)
{
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      b->base = b->hits;
      b->engine_id = 0;
      if (b->kind == BREAKPOINT_WATCH) /* addresses were another process's */
         b->gone = session->breakpoints_done = true;
   }
}

/* ---- info ---- */

/* In gdb's words. */
static void
print_terms(const struct breakpoint *b)
{
   if (b->condition)
      printf("        stop only if %s\n", b->condition);
   if (b->hits)
      printf("        breakpoint already hit %llu time%s\n", (unsigned long long)b->hits, b->hits == 1 ? "" : "s");
   if (b->ignored > b->hits)
      printf("        ignore next %llu hits\n", (unsigned long long)(b->ignored - b->hits));
   if (b->format)
      printf("        printf %s\n", b->typed);
}

int
breakpoints_list(struct session *session, bool watchpoints)
{
   bool any = false;
   session_poll(session);
   breakpoints_update_hits(session);
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      char where[256];
      if (watchpoints && b->kind != BREAKPOINT_WATCH)
         continue;
      breakpoint_format_place(b, where);
      printf("%-4d %-32s %s%s\n", b->number, where, b->temporary ? "temporary; " : "",
             b->disabled                   ? "disabled"
             : b->message                  ? b->message
             : b->verified                 ? ""
             : b->kind == BREAKPOINT_WATCH ? "over with its program"
                                           : "pending");
      print_terms(b);
      any = true;
   }
   if (!any)
      printf(watchpoints ? "no watchpoints\n" : "no breakpoints\n");
   return 0;
}

int
info_breakpoints(struct session *session, char *arguments)
{
   (void)arguments;
   return breakpoints_list(session, false);
}

/* ---- the end ---- */

/* What the program's end leaves over: a line for each that never came to anything. */
bool
breakpoints_report_unmet(struct session *session)
{
   bool any = false;
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      char where[256];
      if (b->met || b->disabled || b->kind == BREAKPOINT_WATCH)
         continue;
      breakpoint_format_place(b, where);
      const char *why = b->unmet ? b->unmet : "the program created no device";
      if (b->kind == BREAKPOINT_DISPATCH)
         why = "no such dispatch came";
      else if (strncmp(why, "pending: ", 9) == 0)
         why += 9;
      error("breakpoint %d at %s was never met: %s", b->number, where, why);
      any = true;
   }
   return any;
}
