/* SPDX-License-Identifier: MIT */
/* break, catch, delete, info breakpoints; and what becomes of breakpoints in the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void
free_breakpoint(struct breakpoint *b)
{
   free(b->where);
   free(b->message);
   free(b->shown);
   free(b->unmet);
   free(b);
}

static void
format_place(const struct breakpoint *b, char text[256])
{
   if (b->kind == BREAKPOINT_SOURCE)
      snprintf(text, 256, "%s:%u", b->where, b->line);
   else
      snprintf(text, 256, "%s%s", b->kind == BREAKPOINT_DISPATCH ? "dispatch " : "", b->where);
}

/* Those that the engine refused don't stay. */
static int
drop_refused(struct session *session)
{
   int result = 0;
   for (struct breakpoint **place = &session->breakpoints; *place;) {
      struct breakpoint *b = *place;
      if (!b->refused) {
         place = &b->next;
         continue;
      }
      result = error("%s", b->message ? b->message : "the engine refused the breakpoint");
      *place = b->next;
      free_breakpoint(b);
   }
   return result;
}

/* `module`: the one that the line is of, or 0. */
static int
add_breakpoint(struct session *session, enum breakpoint_kind kind, const char *where, unsigned line, uint32_t module)
{
   struct breakpoint *b = calloc(1, sizeof(*b));
   b->number = ++session->last_number;
   b->kind = kind;
   b->where = strdup(where);
   b->line = line;
   b->module = module;
   struct breakpoint **end = &session->breakpoints;
   while (*end)
      end = &(*end)->next;
   *end = b;
   if (!session->configured) {
      b->announced = true;
      if (kind == BREAKPOINT_SOURCE)
         printf("Breakpoint %d at %s:%u (pending until a shader with that file comes)\n", b->number, where, line);
      else
         printf("Breakpoint %d at %s%s\n", b->number, kind == BREAKPOINT_DISPATCH ? "dispatch " : "", where);
      return 0;
   }
   if (session_send_breakpoints(session, kind, kind == BREAKPOINT_SOURCE ? where : NULL, module) < 0)
      return -1;
   return drop_refused(session);
}

int
command_break(struct session *session, char *arguments)
{
   uint64_t line;
   if (arguments[0] == '\0') {
      if (need_stop(session) < 0)
         return -1;
      char address[32];
      snprintf(address, sizeof(address), "0x%llx", (unsigned long long)session->pc);
      return session->line ? add_breakpoint(session, BREAKPOINT_SOURCE, session->file, session->line, session->module)
                           : add_breakpoint(session, BREAKPOINT_ADDRESS, address, 0, 0);
   }
   if (arguments[0] == '*') {
      uint64_t address;
      char reference[32];
      if (arguments[1] == '$' && need_stop(session) < 0)
         return -1;
      if (parse_address(session, arguments + 1, &address) < 0)
         return -1;
      snprintf(reference, sizeof(reference), "0x%llx", (unsigned long long)address);
      return add_breakpoint(session, BREAKPOINT_ADDRESS, reference, 0, 0);
   }
   if (parse_unsigned(arguments, &line)) {
      if (!session->file)
         return error("no current file; break FILE:LINE");
      return add_breakpoint(session, BREAKPOINT_SOURCE, session->file, (unsigned)line, session->module);
   }
   char *colon = strrchr(arguments, ':');
   if (colon == arguments)
      return error("no file in front of the colon; break FILE:LINE");
   if (colon && parse_unsigned(colon + 1, &line) && line > 0 && line < 1u << 30) {
      *colon = '\0';
      return add_breakpoint(session, BREAKPOINT_SOURCE, arguments, (unsigned)line, 0);
   }
   if (colon)
      return error("\"%s\" is no line number; break FILE:LINE, or catch FILE:ENTRY for its dispatches", colon + 1);
   if (strchr(arguments, '.'))
      return error("\"%s\" looks like a file; break FILE:LINE, or catch NAME for its dispatches", arguments);
   return add_breakpoint(session, BREAKPOINT_DISPATCH, arguments, 0, 0);
}

int
command_catch(struct session *session, char *arguments)
{
   if (arguments[0] == '\0')
      return error("catch what? a dispatch's number, a pipeline's or entry point's name, or label:GLOB");
   return add_breakpoint(session, BREAKPOINT_DISPATCH, arguments, 0, 0);
}

static void
remove_breakpoint(struct session *session, struct breakpoint **place)
{
   struct breakpoint *b = *place;
   *place = b->next;
   session_send_breakpoints(session, b->kind, b->kind == BREAKPOINT_SOURCE ? b->where : NULL, b->module);
   free_breakpoint(b);
}

int
command_delete(struct session *session, char *arguments)
{
   session_poll(session);
   if (arguments[0] == '\0') {
      if (!session->breakpoints || !prompt_confirm(session, "Delete all breakpoints?"))
         return 0;
      while (session->breakpoints)
         remove_breakpoint(session, &session->breakpoints);
      return 0;
   }
   uint64_t number;
   if (!parse_unsigned(arguments, &number))
      return error("\"%s\" is no breakpoint's number", arguments);
   for (struct breakpoint **place = &session->breakpoints; *place; place = &(*place)->next) {
      if ((uint64_t)(*place)->number == number) {
         remove_breakpoint(session, place);
         return 0;
      }
   }
   return error("no breakpoint %s", arguments);
}

int
info_breakpoints(struct session *session, char *arguments)
{
   (void)arguments;
   session_poll(session);
   if (!session->breakpoints)
      printf("no breakpoints\n");
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      char where[256];
      format_place(b, where);
      printf("%-4d %-32s %s\n", b->number, where, b->message ? b->message : b->verified ? "" : "pending");
   }
   return 0;
}

/* What the program's end leaves over: a line for each that never came to anything. */
bool
breakpoints_report_unmet(struct session *session)
{
   bool any = false;
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      char where[256];
      if (b->met)
         continue;
      format_place(b, where);
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

void
breakpoints_free(struct session *session)
{
   while (session->breakpoints) {
      struct breakpoint *next = session->breakpoints->next;
      free_breakpoint(session->breakpoints);
      session->breakpoints = next;
   }
}
