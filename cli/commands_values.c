/* SPDX-License-Identifier: MIT */
/* Expressions: print, set, ptype, whatis, display; and the addresses that they make. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- asking the engine ---- */

json_t *
about_expression(struct session *session, const char *expression)
{
   json_t *arguments = json_pack("{s:s, s:I}", "expression", expression, "threadId", (json_int_t)session->thread);
   if (session->frame)
      json_object_set_new(arguments, "frameId", json_integer(session->frame));
   return arguments;
}

/* `purpose`: "repl" puts the value into the history. The answer's body, or NULL after a message. */
static json_t *
evaluate(struct session *session, const char *expression, const char *format, const char *purpose)
{
   char *text;
   if (asprintf(&text, "%s%s%s", format, *format ? " " : "", expression) < 0)
      return NULL;
   json_t *arguments = about_expression(session, text);
   free(text);
   json_object_set_new(arguments, "context", json_string(purpose));
   return session_request(session, "evaluate", arguments);
}

/* Takes "/x", "/lanes" off the front of *arguments: formats keeps them as the engine takes them. */
static int
take_formats(char **arguments, char formats[64], bool *lanes)
{
   size_t length = 0;
   formats[0] = '\0';
   *lanes = false;
   while (**arguments == '/') {
      size_t size = 1 + strcspn(*arguments + 1, " \t/");
      if (size == strlen("/lanes") && strncmp(*arguments, "/lanes", size) == 0)
         *lanes = true;
      else if (length + size + 2 > 64)
         return error("\"%s\" is no format", *arguments);
      else
         length += (size_t)snprintf(formats + length, 64 - length, "%s%.*s", length ? " " : "", (int)size, *arguments);
      *arguments += size;
      while (isspace((unsigned char)**arguments))
         (*arguments)++;
   }
   return 0;
}

int
parse_place(struct session *session, const char *text, char space[16], uint64_t *address)
{
   space[0] = '\0';
   if (parse_unsigned(text, address))
      return 0;
   if (session->state != SESSION_STOPPED && text[0] != '$')
      return error("\"%s\" is no address; while nothing is stopped only numbers are", text);
   json_t *body = session_request(session, "hdb/address", about_expression(session, text));
   if (!body)
      return -1;
   const char *place = json_text(body, "address"), *plus = strchr(place, '+');
   snprintf(space, 16, "%.*s", plus ? (int)(plus + 1 - place) : 0, place);
   *address = strtoull(plus ? plus + 1 : place, NULL, 16);
   json_decref(body);
   return 0;
}

int
parse_address(struct session *session, const char *text, uint64_t *address)
{
   char space[16];
   int result = parse_place(session, text, space, address);
   if (!result && space[0])
      return error("\"%s\" is in %.*s and has no address", text, (int)strlen(space) - 1, space);
   return result;
}

char *
take_word(char **text)
{
   char *word = *text;
   *text += strcspn(*text, " \t");
   if (**text)
      *(*text)++ = '\0';
   while (isspace((unsigned char)**text))
      (*text)++;
   return word;
}

/* ---- print, set ---- */

int
command_print(struct session *session, char *arguments)
{
   char formats[64];
   bool lanes;
   if (need_stop(session) < 0 || take_formats(&arguments, formats, &lanes) < 0)
      return -1;
   if (lanes) /* what the history keeps is of one lane */
      return *arguments ? print_lanes(session, arguments, formats) : error("print/lanes EXPRESSION");
   json_t *body = evaluate(session, *arguments ? arguments : "$", formats, "repl"); /* the last value again */
   if (!body)
      return -1;
   if (json_number(body, "history"))
      printf("$%lld = ", (long long)json_number(body, "history"));
   printf("%s\n", json_text(body, "result"));
   json_decref(body);
   return 0;
}

/* An = that is no part of == != <= >=. */
static bool
assigns(const char *text)
{
   for (const char *at = strchr(text, '='); at; at = strchr(at + 1, '=')) {
      char before = at > text ? at[-1] : '\0';
      bool shifts = (before == '<' || before == '>') && at - text > 1 && at[-2] == before;
      if (at[1] == '=')
         at++;
      else if (shifts || !before || !strchr("!<>", before))
         return true;
   }
   return false;
}

static int64_t print_elements = -1; /* as it is */

int
session_send_print(struct session *session)
{
   if (print_elements < 0)
      return 0;
   json_t *body = session_request(session, "hdb/setPrint", json_pack("{s:I}", "elements", (json_int_t)print_elements));
   json_decref(body);
   return body ? 0 : -1;
}

/* set print elements 10 */
static int
set_print(struct session *session, char *arguments)
{
   uint64_t elements = 0;
   char *value = arguments;
   if (strcmp(take_word(&value), "elements") != 0 || !*value)
      return error("set print elements NUMBER; 0: as many as there are");
   if (strcmp(value, "unlimited") != 0 && (!parse_unsigned(value, &elements) || elements > UINT32_MAX))
      return error("\"%s\" is no number of elements", value);
   print_elements = (int64_t)elements;
   return session->configured ? session_send_print(session) : 0;
}

/* set x = 1, set var x = 1, set var/lanes x = 1 */
int
command_set(struct session *session, char *arguments)
{
   static const char *const words[] = {"variable", "var"};
   char formats[64];
   bool lanes;
   if (strncmp(arguments, "print ", 6) == 0 && !assigns(arguments))
      return set_print(session, arguments + 6 + strspn(arguments + 6, " \t"));
   if (need_stop(session) < 0)
      return -1;
   for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
      size_t length = strlen(words[i]);
      if (strncmp(arguments, words[i], length) != 0 ||
          (!isspace((unsigned char)arguments[length]) && arguments[length] != '/'))
         continue;
      arguments += length + strspn(arguments + length, " \t");
      break;
   }
   if (take_formats(&arguments, formats, &lanes) < 0)
      return -1;
   if (!assigns(arguments))
      return error("set what to what? set var x = 1.5, set var/lanes x = 0, set $v3[5] = 1.0");
   json_t *body = evaluate(session, arguments, lanes ? "/lanes" : "", "watch");
   if (body && *json_text(body, "sharers"))
      printf("[its register also holds %s]\n", json_text(body, "sharers"));
   json_decref(body);
   return body ? 0 : -1;
}

/* ---- types ---- */

int
command_whatis(struct session *session, char *arguments)
{
   if (need_stop(session) < 0)
      return -1;
   if (!*arguments)
      return error("whatis EXPRESSION");
   json_t *body = session_request(session, "hdb/type", about_expression(session, arguments));
   if (!body)
      return -1;
   printf("type = %s\n", json_text(body, "name"));
   json_decref(body);
   return 0;
}

int
command_ptype(struct session *session, char *arguments)
{
   if (need_stop(session) < 0)
      return -1;
   if (!*arguments)
      return error("ptype EXPRESSION or TYPE");
   json_t *body = session_request(session, "hdb/type", about_expression(session, arguments));
   if (!body)
      return -1;
   printf("type = %s\n", json_text(body, "definition"));
   json_decref(body);
   return 0;
}

/* ---- display ---- */

struct display {
   int number;
   char *expression, formats[64];
   bool lanes;
   struct display *next;
};

static struct display *displays;
static int last_display;

static int
show_display(struct session *session, const struct display *display)
{
   if (display->lanes) {
      printf("%d: %s =\n", display->number, display->expression);
      return print_lanes(session, display->expression, display->formats);
   }
   json_t *body = evaluate(session, display->expression, display->formats, "hover");
   if (!body)
      return -1;
   printf("%d: %s%s%s = %s\n", display->number, display->formats, *display->formats ? " " : "", display->expression,
          json_text(body, "result"));
   json_decref(body);
   return 0;
}

/* After `finish`, as gdb has it; where what was returned is not known, nothing. */
static void
show_returned(struct session *session)
{
   uint32_t call = session->returning;
   session->returning = 0;
   if (!call || session->state != SESSION_STOPPED || !session->stepped || session->thread != session->returning_thread)
      return;
   json_t *body = session_request(
      session, "hdb/returned",
      json_pack("{s:I, s:I}", "threadId", (json_int_t)session->thread, "spirvOffset", (json_int_t)call));
   if (body)
      printf("Value returned is $%lld = %s\n", (long long)json_number(body, "history"), json_text(body, "result"));
   json_decref(body);
}

/* What means nothing where the wave has come to is left out. */
void
displays_show(struct session *session)
{
   session->displays_due = false;
   session->quiet = true;
   show_returned(session);
   for (const struct display *display = displays; display; display = display->next) {
      if (session->state == SESSION_STOPPED)
         show_display(session, display);
   }
   session->quiet = false;
   fflush(stdout);
}

static void
remove_display(struct display **place)
{
   struct display *display = *place;
   *place = display->next;
   free(display->expression);
   free(display);
}

int
command_display(struct session *session, char *arguments)
{
   char formats[64];
   bool lanes;
   if (need_stop(session) < 0 || take_formats(&arguments, formats, &lanes) < 0)
      return -1;
   if (!*arguments) {
      displays_show(session);
      return 0;
   }
   struct display *display = calloc(1, sizeof(*display));
   display->number = ++last_display;
   display->expression = strdup(arguments);
   display->lanes = lanes;
   memcpy(display->formats, formats, sizeof(formats));
   struct display **end = &displays;
   while (*end)
      end = &(*end)->next;
   *end = display;
   if (show_display(session, display) == 0)
      return 0;
   remove_display(end);
   return -1;
}

int
command_undisplay(struct session *session, char *arguments)
{
   uint64_t number;
   if (!*arguments) {
      displays_free();
      return 0;
   }
   for (struct display **place = &displays; parse_unsigned(arguments, &number) && *place; place = &(*place)->next) {
      if ((uint64_t)(*place)->number == number) {
         remove_display(place);
         return 0;
      }
   }
   return error("no display \"%s\"", arguments);
}

int
info_display(struct session *session, char *arguments)
{
   if (!displays)
      printf("no displays\n");
   for (const struct display *display = displays; display; display = display->next)
      printf("%d: %s%s%s%s\n", display->number, display->formats, *display->formats ? " " : "",
             display->lanes ? "/lanes " : "", display->expression);
   return 0;
}

void
displays_free(void)
{
   while (displays)
      remove_display(&displays);
}
