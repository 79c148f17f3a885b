/* SPDX-License-Identifier: MIT */
/* Expressions: print, set, ptype, whatis, lanes, display; and the addresses that they make. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- asking the engine ---- */

/* The arguments of a request about an expression in the frame that is looked at. */
static json_t *
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
      size_t size = strcspn(*arguments, " \t");
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
parse_address(struct session *session, const char *text, uint64_t *address)
{
   if (parse_unsigned(text, address))
      return 0;
   if (session->state != SESSION_STOPPED && text[0] != '$')
      return error("\"%s\" is no address; while nothing is stopped only numbers are", text);
   json_t *body = session_request(session, "hdb/address", about_expression(session, text));
   if (!body)
      return -1;
   *address = strtoull(json_text(body, "address"), NULL, 16);
   json_decref(body);
   return 0;
}

/* ---- lanes ---- */

#define MAX_IN_COLUMN 16
#define COLUMNS 4

/* Lanes beside each other with one value are one entry. */
static size_t
count_same(json_t *lanes, size_t first)
{
   json_t *start = json_array_get(lanes, first);
   size_t count = 1;
   for (; first + count < json_array_size(lanes); count++) {
      json_t *next = json_array_get(lanes, first + count);
      if (json_number(next, "lane") != json_number(start, "lane") + (int64_t)count ||
          strcmp(json_text(next, "value"), json_text(start, "value")) != 0)
         break;
   }
   return count;
}

static bool
fits_columns(json_t *lanes)
{
   size_t index;
   json_t *lane;
   json_array_foreach (lanes, index, lane) {
      if (strlen(json_text(lane, "value")) > MAX_IN_COLUMN)
         return false;
   }
   return true;
}

static void
print_table(json_t *lanes)
{
   unsigned columns = fits_columns(lanes) ? COLUMNS : 1, column = 0;
   for (size_t i = 0; i < json_array_size(lanes);) {
      size_t count = count_same(lanes, i);
      long long first = (long long)json_number(json_array_get(lanes, i), "lane");
      char label[32];
      if (count > 1)
         snprintf(label, sizeof(label), "%lld-%lld", first, first + (long long)count - 1);
      else
         snprintf(label, sizeof(label), "%lld", first);
      bool last = ++column == columns || i + count == json_array_size(lanes);
      printf(last ? "%5s  %s\n" : "%5s  %-16s", label, json_text(json_array_get(lanes, i), "value"));
      column = last ? 0 : column;
      i += count;
   }
}

static int
print_lanes(struct session *session, const char *expression, const char *formats)
{
   char *text;
   if (asprintf(&text, "%s%s%s", formats, *formats ? " " : "", expression) < 0)
      return -1;
   json_t *body = session_request(session, "hdb/lanes", about_expression(session, text));
   free(text);
   if (!body)
      return -1;
   json_t *lanes = json_object_get(body, "lanes");
   if (json_is_true(json_object_get(body, "uniform")))
      printf("uniform: %s\n", json_text(json_array_get(lanes, 0), "value"));
   else
      print_table(lanes);
   json_decref(body);
   return 0;
}

static int
print_where(struct session *session, const char *expression)
{
   json_t *arguments = about_expression(session, expression);
   json_object_set_new(arguments, "what", json_string("where"));
   json_t *body = session_request(session, "hdb/lanes", arguments);
   if (!body)
      return -1;
   json_t *lanes = json_object_get(body, "lanes");
   size_t count = json_array_size(lanes);
   printf("%zu of %lld active lanes%s", count, (long long)json_number(body, "active"), count ? ":" : "");
   for (size_t i = 0; i < count;) {
      size_t run = 1;
      long long first = json_integer_value(json_array_get(lanes, i));
      while (i + run < count && json_integer_value(json_array_get(lanes, i + run)) == first + (long long)run)
         run++;
      printf(run > 1 ? " %lld-%lld" : " %lld", first, first + (long long)run - 1);
      i += run;
   }
   printf("\n");
   json_decref(body);
   return 0;
}

static int
print_statistics(struct session *session, const char *expression)
{
   static const char *const names[] = {"x", "y", "z", "w"};
   json_t *arguments = about_expression(session, expression);
   json_object_set_new(arguments, "what", json_string("statistics"));
   json_t *body = session_request(session, "hdb/lanes", arguments);
   if (!body)
      return -1;
   json_t *components = json_object_get(body, "components"), *of;
   size_t index;
   json_array_foreach (components, index, of) {
      if (json_array_size(components) > 1 && index < 4)
         printf("%s  ", names[index]);
      printf("min %s  max %s  mean %s  distinct %lld  nan %lld  inf %lld\n", json_text(of, "least"),
             json_text(of, "most"), json_text(of, "mean"), (long long)json_number(of, "distinct"),
             (long long)json_number(of, "nans"), (long long)json_number(of, "infinities"));
   }
   printf("%lld active lanes", (long long)json_number(body, "active"));
   if (json_number(body, "unavailable"))
      printf(", not available in %lld", (long long)json_number(body, "unavailable"));
   printf("\n");
   json_decref(body);
   return 0;
}

/* The word that `text` begins with, taken off. */
static char *
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

int
command_lanes(struct session *session, char *arguments)
{
   if (need_stop(session) < 0)
      return -1;
   char *rest = arguments, *word = take_word(&rest);
   if (!*rest || (strcmp(word, "where") != 0 && strcmp(word, "stats") != 0))
      return error("lanes where EXPRESSION or lanes stats EXPRESSION; print/lanes EXPRESSION shows the values");
   return strcmp(word, "where") == 0 ? print_where(session, rest) : print_statistics(session, rest);
}

/* ---- print, set ---- */

int
command_print(struct session *session, char *arguments)
{
   char formats[64];
   bool lanes;
   if (need_stop(session) < 0 || take_formats(&arguments, formats, &lanes) < 0)
      return -1;
   if (lanes && *arguments)
      return print_lanes(session, arguments, formats);
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

/* set x = 1, set var x = 1, set var/lanes x = 1 */
int
command_set(struct session *session, char *arguments)
{
   static const char *const words[] = {"variable", "var"};
   char formats[64];
   bool lanes;
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

/* What means nothing where the wave has come to is left out. */
void
displays_show(struct session *session)
{
   session->displays_due = false;
   session->quiet = true;
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
