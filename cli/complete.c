/* SPDX-License-Identifier: MIT */
/* Tab at the prompt: commands, what `info` shows, and the names in scope, which the engine knows. */
#include <ctype.h>
#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

struct candidates {
   json_t *names; /* an array of strings */
   size_t typed;  /* how much of them is there already */
};

static void
add(struct candidates *candidates, const char *name, const char *start)
{
   if (strncmp(name, start, candidates->typed) == 0)
      json_array_append_new(candidates->names, json_string(name));
}

static void
find_commands(struct candidates *candidates, const char *start)
{
   for (const struct command *c = commands; c->name; c++)
      add(candidates, c->name, start);
}

/* The last word of the line is part of an expression. */
static void
find_names(struct session *session, struct candidates *candidates, const char *line)
{
   if (session->state != SESSION_STOPPED)
      return;
   json_t *arguments = json_pack("{s:s, s:I, s:I}", "text", line, "column", (json_int_t)strlen(line) + 1, "threadId",
                                 (json_int_t)session->thread);
   if (session->frame)
      json_object_set_new(arguments, "frameId", json_integer(session->frame));
   json_t *body = session_request(session, "completions", arguments), *target;
   size_t index;
   json_array_foreach (json_object_get(body, "targets"), index, target) {
      candidates->typed = (size_t)json_number(target, "length");
      json_array_append(candidates->names, json_object_get(target, "label"));
   }
   json_decref(body);
}

/* How many characters all candidates begin with. */
static size_t
common_length(json_t *names)
{
   const char *first = json_string_value(json_array_get(names, 0));
   size_t length = strlen(first), index;
   json_t *name;
   json_array_foreach (names, index, name) {
      size_t same = 0;
      while (same < length && first[same] == json_string_value(name)[same])
         same++;
      length = same;
   }
   return length;
}

static void
show(json_t *names)
{
   size_t index;
   json_t *name;
   printf("\n");
   json_array_foreach (names, index, name)
      printf("%s%s", index ? "  " : "", json_string_value(name));
   printf("\n");
   fflush(stdout);
}

/* What CC_* the editor is to do. */
static unsigned char
insert(EditLine *editor, const struct candidates *candidates)
{
   size_t count = json_array_size(candidates->names);
   if (!count)
      return CC_ERROR;
   const char *first = json_string_value(json_array_get(candidates->names, 0));
   size_t length = common_length(candidates->names);
   if (length > candidates->typed) {
      char *rest = strndup(first + candidates->typed, length - candidates->typed);
      el_insertstr(editor, rest);
      free(rest);
      return CC_REFRESH;
   }
   if (count == 1)
      return CC_NORM;
   show(candidates->names);
   return CC_REDISPLAY;
}

unsigned char
complete_line(EditLine *editor, struct session *session)
{
   const LineInfo *info = el_line(editor);
   char *line = strndup(info->buffer, (size_t)(info->cursor - info->buffer)), *start = line;
   struct candidates candidates = {.names = json_array()};
   while (isspace((unsigned char)*start))
      start++;
   size_t word = strspn(start, "abcdefghijklmnopqrstuvwxyz");
   if (!start[word]) {
      candidates.typed = word;
      find_commands(&candidates, start);
   } else if (strncmp(start, "info ", 5) == 0 && !strchr(start + 5, ' ')) {
      candidates.typed = strlen(start + 5);
      for (size_t i = 0; info_subject(i); i++)
         add(&candidates, info_subject(i), start + 5);
   } else {
      find_names(session, &candidates, line);
   }
   unsigned char result = insert(editor, &candidates);
   json_decref(candidates.names);
   free(line);
   return result;
}
