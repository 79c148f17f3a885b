/* SPDX-License-Identifier: MIT */
/* break, catch, delete, info breakpoints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int
add_breakpoint(struct session *session, enum breakpoint_kind kind, const char *where, unsigned line)
{
   struct breakpoint *b = calloc(1, sizeof(*b));
   b->number = ++session->last_number;
   b->kind = kind;
   b->where = strdup(where);
   b->line = line;
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
   return session_send_breakpoints(session, kind, kind == BREAKPOINT_SOURCE ? where : NULL);
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
      return session->line ? add_breakpoint(session, BREAKPOINT_SOURCE, session->file, session->line)
                           : add_breakpoint(session, BREAKPOINT_ADDRESS, address, 0);
   }
   if (arguments[0] == '*') {
      uint64_t address;
      char reference[32];
      if (arguments[1] == '$' && need_stop(session) < 0)
         return -1;
      if (parse_address(session, arguments + 1, &address) < 0)
         return -1;
      snprintf(reference, sizeof(reference), "0x%llx", (unsigned long long)address);
      return add_breakpoint(session, BREAKPOINT_ADDRESS, reference, 0);
   }
   if (parse_unsigned(arguments, &line)) {
      if (!session->file)
         return error("no current file; break FILE:LINE");
      return add_breakpoint(session, BREAKPOINT_SOURCE, session->file, (unsigned)line);
   }
   char *colon = strrchr(arguments, ':');
   if (colon && parse_unsigned(colon + 1, &line) && line > 0 && line < 1u << 30) {
      *colon = '\0';
      return add_breakpoint(session, BREAKPOINT_SOURCE, arguments, (unsigned)line);
   }
   if (colon)
      return error("\"%s\" is no line number; break FILE:LINE", colon + 1);
   if (strchr(arguments, '.'))
      return error("\"%s\" looks like a file; break FILE:LINE, or catch NAME for its dispatches", arguments);
   return add_breakpoint(session, BREAKPOINT_DISPATCH, arguments, 0);
}

int
command_catch(struct session *session, char *arguments)
{
   if (arguments[0] == '\0')
      return error("catch what? a dispatch's number, a pipeline's or entry point's name, or label:GLOB");
   return add_breakpoint(session, BREAKPOINT_DISPATCH, arguments, 0);
}

static void
remove_breakpoint(struct session *session, struct breakpoint **place)
{
   struct breakpoint *b = *place;
   *place = b->next;
   session_send_breakpoints(session, b->kind, b->kind == BREAKPOINT_SOURCE ? b->where : NULL);
   free(b->where);
   free(b->message);
   free(b);
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
      if (b->kind == BREAKPOINT_SOURCE)
         snprintf(where, sizeof(where), "%s:%u", b->where, b->line);
      else
         snprintf(where, sizeof(where), "%s%s", b->kind == BREAKPOINT_DISPATCH ? "dispatch " : "", b->where);
      printf("%-4d %-32s %s\n", b->number, where, b->message ? b->message : b->verified ? "" : "pending");
   }
   return 0;
}
