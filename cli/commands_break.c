/* SPDX-License-Identifier: MIT */
/* break, tbreak, catch, dprintf: what makes breakpoints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "engine/format.h"
#include "engine/selector.h"

int
breakpoint_add(struct session *session, struct breakpoint *b)
{
   struct breakpoint **end = &session->breakpoints;
   while (*end)
      end = &(*end)->next;
   *end = b;
   b->number = ++session->last_number;
   if (!session->configured) {
      char where[256];
      breakpoint_format_place(b, where);
      b->announced = true;
      printf("%s %d at %s%s\n", breakpoint_kind_name(b), b->number, where,
             b->kind == BREAKPOINT_SOURCE ? " (pending until a shader with that file comes)" : "");
      return 0;
   }
   return breakpoint_send(session, b) < 0 ? -1 : breakpoints_drop_refused(session, false);
}

/* ---- places ---- */

/* `module`: the one that the line is of, or 0. */
static struct breakpoint *
make(enum breakpoint_kind kind, const char *where, unsigned line, uint32_t module)
{
   struct breakpoint *b = calloc(1, sizeof(*b));
   b->kind = kind;
   b->where = strdup(where);
   b->line = line;
   b->module = module;
   return b;
}

/* Where `FILE:LINE`, `LINE`, `*ADDRESS`, `NAME` or nothing is. NULL: said why it is nowhere. */
static struct breakpoint *
make_at(struct session *session, char *place)
{
   uint64_t line, address = session->pc;
   char reference[32];
   if (place[0] == '\0' && need_stop(session) < 0)
      return NULL;
   if (place[0] == '\0' && session->line)
      return make(BREAKPOINT_SOURCE, session->file, session->line, session->module);
   if (place[0] == '*' && place[1] == '$' && need_stop(session) < 0)
      return NULL;
   if (place[0] == '*' && parse_address(session, place + 1, &address) < 0)
      return NULL;
   if (place[0] == '\0' || place[0] == '*') {
      snprintf(reference, sizeof(reference), "0x%llx", (unsigned long long)address);
      return make(BREAKPOINT_ADDRESS, reference, 0, 0);
   }
   if (parse_unsigned(place, &line)) {
      if (session->file)
         return make(BREAKPOINT_SOURCE, session->file, (unsigned)line, session->module);
      error("no current file; break FILE:LINE");
      return NULL;
   }
   char *colon = strrchr(place, ':');
   if (colon && colon != place && parse_unsigned(colon + 1, &line) && line > 0 && line < 1u << 30) {
      *colon = '\0';
      return make(BREAKPOINT_SOURCE, place, (unsigned)line, 0);
   }
   if (colon == place)
      error("no file in front of the colon; break FILE:LINE");
   else if (colon)
      error("\"%s\" is no line number; break FILE:LINE, or catch FILE:ENTRY for its dispatches", colon + 1);
   else if (strchr(place, '.'))
      error("\"%s\" looks like a file; break FILE:LINE, or catch NAME for its dispatches", place);
   else
      return make(BREAKPOINT_DISPATCH, place, 0, 0);
   return NULL;
}

/* ---- break, tbreak ---- */

char *
cut_condition(char *arguments)
{
   for (char *at = arguments; (at = strstr(at, "if")); at += 2) {
      bool begins = at == arguments || at[-1] == ' ';
      if (!begins || (at[2] != ' ' && at[2] != '(' && at[2] != '\0'))
         continue;
      char *condition = at + 2 + strspn(at + 2, " ");
      while (at > arguments && at[-1] == ' ')
         at--;
      *at = '\0';
      return condition;
   }
   return NULL;
}

static int
set_breakpoint(struct session *session, char *arguments, bool temporary)
{
   char *condition = cut_condition(arguments);
   if (condition && !*condition)
      return error("a condition expected behind \"if\"");
   struct breakpoint *b = make_at(session, arguments);
   if (b && condition && b->kind == BREAKPOINT_DISPATCH && check_dispatch_condition(condition) < 0) {
      breakpoint_free(b);
      b = NULL;
   }
   if (!b)
      return -1;
   b->condition = condition ? strdup(condition) : NULL;
   b->temporary = temporary;
   return breakpoint_add(session, b);
}

int
command_break(struct session *session, char *arguments)
{
   return set_breakpoint(session, arguments, false);
}

int
command_tbreak(struct session *session, char *arguments)
{
   return set_breakpoint(session, arguments, true);
}

int
check_selector(const char *text)
{
   char *problem;
   int result = selector_check(text, &problem) ? error("%s: %s", text, problem ? problem : "out of memory") : 0;
   free(problem);
   return result;
}

int
check_dispatch_condition(const char *condition)
{
   char *problem;
   int result = selector_check_condition(condition, &problem)
                   ? error("%s: %s", condition, problem ? problem : "out of memory")
                   : 0;
   free(problem);
   return result;
}

int
command_catch(struct session *session, char *arguments)
{
   char *condition = cut_condition(arguments);
   if (arguments[0] == '\0')
      return error("catch what? a dispatch's number, a pipeline's or entry point's name, label:GLOB, or an expression");
   if (condition && !*condition)
      return error("a condition expected behind \"if\"");
   if (check_selector(arguments) < 0 || (condition && check_dispatch_condition(condition) < 0))
      return -1;
   struct breakpoint *b = make(BREAKPOINT_DISPATCH, arguments, 0, 0);
   b->condition = condition ? strdup(condition) : NULL;
   return breakpoint_add(session, b);
}

/* ---- dprintf ---- */

static char
escaped(char letter)
{
   static const char letters[] = "abfnrtve", codes[] = "\a\b\f\n\r\t\v\033";
   const char *at = strchr(letters, letter);
   return at ? codes[at - letters] : letter;
}

/* The string literal at *text, which then is behind it. NULL: there is none. */
static char *
take_string(char **text)
{
   char *from = *text, *string = *from == '"' ? malloc(strlen(from)) : NULL, *to = string;
   if (!string)
      return NULL;
   for (from++; *from && *from != '"'; from++) {
      if (*from == '\\' && from[1])
         *to++ = escaped(*++from);
      else
         *to++ = *from;
   }
   *to = '\0';
   *text = from + 1;
   if (*from == '"')
      return string;
   free(string);
   return NULL;
}

/* Behind the end of an argument: the next comma that is in no brackets, or the end. */
static char *
find_comma(char *text)
{
   int depth = 0;
   for (; *text && (*text != ',' || depth > 0); text++)
      depth += (strchr("([{", *text) != NULL) - (strchr(")]}", *text) != NULL);
   return text;
}

int
command_dprintf(struct session *session, char *arguments)
{
   static const char usage[] = "dprintf FILE:LINE,\"format\",argument,...";
   char *comma = strchr(arguments, ',');
   if (!comma)
      return error("a format expected; %s", usage);
   *comma = '\0';
   char *text = comma + 1 + strspn(comma + 1, " ");
   char *typed = strdup(text), *format = take_string(&text);
   text += format ? strspn(text, " ") : 0;
   struct breakpoint *b = format && (!*text || *text == ',') ? make_at(session, arguments) : NULL;
   if (!b) {
      int result = format && (!*text || *text == ',') ? -1 : error("a format in \"quotes\" expected; %s", usage);
      free(typed);
      free(format);
      return result;
   }
   b->format = format;
   b->typed = typed;
   b->arguments = json_array();
   while (*text == ',') {
      char *argument = text + 1 + strspn(text + 1, " ");
      text = find_comma(argument);
      json_array_append_new(b->arguments, json_stringn(argument, (size_t)(text - argument)));
   }
   char *problem = NULL;
   if (b->kind != BREAKPOINT_DISPATCH && !format_check(b->format, json_array_size(b->arguments), &problem))
      return breakpoint_add(session, b);
   int result = problem ? error("%s", problem) : error("a line or an address expected; %s", usage);
   free(problem);
   breakpoint_free(b);
   return result;
}
