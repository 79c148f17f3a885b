/* SPDX-License-Identifier: MIT */
/* An expression in all lanes at once: print/lanes, lanes where, lanes stats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

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

int
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
      if (*json_text(of, "least")) /* else they are no numbers, all of them */
         printf("min %s  max %s  mean %s  ", json_text(of, "least"), json_text(of, "most"), json_text(of, "mean"));
      printf("distinct %lld  nan %lld  inf %lld\n", (long long)json_number(of, "distinct"),
             (long long)json_number(of, "nans"), (long long)json_number(of, "infinities"));
   }
   printf("%lld active lanes", (long long)json_number(body, "active"));
   if (json_number(body, "unavailable"))
      printf(", not available in %lld", (long long)json_number(body, "unavailable"));
   printf("\n");
   json_decref(body);
   return 0;
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
