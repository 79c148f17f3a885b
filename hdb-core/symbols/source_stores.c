/* SPDX-License-Identifier: MIT */
/*
 * Where a source stores to a part of a variable: v.x = 1; m[2] += n; ++s.count; set(v.xy).
 *
 * Optimisers that put SSA values in the place of variables tell of whole stores, and lose such of parts
 * (lost_stores.c). Macros are not seen through.
 */
#include "symbols/source_scopes.h"

#include <stdbool.h>
#include <string.h>

/* A text must not make us slow, whatever is in it: beyond these, what is in doubt counts as a store. */
#define MAX_EXPRESSION 512 /* characters */
#define MAX_CALLS 64       /* whose functions are looked for, per name */

struct text {
   const char *start, *end;
   unsigned calls;
};

static bool
is_name(char c)
{
   return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool
is_blank(char c)
{
   return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char
char_at(const struct text *text, const char *at)
{
   return at >= text->start && at < text->end ? *at : 0;
}

static const char *
skip_blanks(const struct text *text, const char *at)
{
   while (is_blank(char_at(text, at)))
      at++;
   return at;
}

/* Behind the bracket that closes the one at `at`. */
static const char *
skip_brackets(const struct text *text, const char *at)
{
   int depth = 0;
   for (const char *start = at; at < text->end && at - start < MAX_EXPRESSION; at++) {
      depth += *at == '(' || *at == '[';
      depth -= *at == ')' || *at == ']';
      if (!depth)
         return at + 1;
   }
   return at;
}

/* The last character in front that is none; NULL: there is none. */
static const char *
last_before(const struct text *text, const char *at)
{
   while (at > text->start && is_blank(at[-1]))
      at--;
   return at > text->start ? at - 1 : NULL;
}

/* The beginning of the word that ends at `last`. */
static const char *
word_start(const struct text *text, const char *last)
{
   while (last > text->start && is_name(last[-1]))
      last--;
   return last;
}

/* Whether an operator at `at` assigns, or counts up or down. */
static bool
assigns(const struct text *text, const char *at)
{
   char c = char_at(text, at), next = char_at(text, at + 1);
   if (c == '=')
      return next != '=';
   if ((c == '+' || c == '-') && next == c)
      return true;
   if ((c == '<' || c == '>') && next == c)
      return char_at(text, at + 2) == '=';
   return c && strchr("+-*/%&|^", c) && next == '=';
}

/* Whether a function of that name has a parameter that comes back. */
static bool
returns_parameters(const struct text *text, const char *name, size_t length)
{
   for (const char *at = text->start; at + length < text->end; at++) {
      if (memcmp(at, name, length) != 0 || is_name(at[length]) || (at > text->start && is_name(at[-1])))
         continue;
      const char *open = skip_blanks(text, at + length);
      const char *close = char_at(text, open) == '(' ? skip_brackets(text, open) : open;
      for (const char *word = open; word + 3 < close; word++) {
         bool begins = !is_name(word[-1]) || memcmp(word - 2, "in", 2) == 0;
         if (memcmp(word, "out", 3) == 0 && is_blank(word[3]) && begins)
            return true;
      }
   }
   return false;
}

/* Whether what begins at `start` is an argument of a call that may set it. */
static bool
is_set_by_call(struct text *text, const char *start)
{
   int depth = 0;
   const char *at = start;
   if (text->calls++ >= MAX_CALLS)
      return true;
   while (at > text->start && start - at < MAX_EXPRESSION && depth >= 0 && *--at != ';') {
      depth += *at == ')';
      depth -= *at == '(';
   }
   const char *last = depth < 0 ? last_before(text, at) : NULL;
   if (!last || !is_name(*last))
      return false;
   const char *name = word_start(text, last);
   return returns_parameters(text, name, last + 1 - name);
}

/* Whether there is a store to a part of what is named in front of `at`, from `start` on. */
static bool
stores_part(struct text *text, const char *start, const char *at)
{
   bool part = false;
   for (at = skip_blanks(text, at); char_at(text, at) == '.' || char_at(text, at) == '['; at = skip_blanks(text, at)) {
      part = true;
      if (*at == '[') {
         at = skip_brackets(text, at);
         continue;
      }
      at = skip_blanks(text, at + 1);
      while (is_name(char_at(text, at)))
         at++;
   }
   const char *before = last_before(text, start);
   if (!part || !before)
      return false;
   if (assigns(text, at) || (before > text->start && (*before == '+' || *before == '-') && before[-1] == *before))
      return true;
   return (*before == '(' || *before == ',') && (char_at(text, at) == ',' || char_at(text, at) == ')') &&
          is_set_by_call(text, start);
}

/* Behind a comment or directive that begins at `at`; `at`: there is none. */
static const char *
skip_comment(const struct text *text, const char *at)
{
   bool line = *at == '#' || (*at == '/' && char_at(text, at + 1) == '/');
   if (line) {
      while (at < text->end && *at != '\n')
         at++;
   } else if (*at == '/' && char_at(text, at + 1) == '*') {
      at += 2;
      while (at < text->end && !(*at == '*' && char_at(text, at + 1) == '/'))
         at++;
      at += at < text->end; /* the last of it */
   }
   return at;
}

size_t
source_find_part_stores(const char *source, size_t size, const char *name, uint32_t *lines, size_t capacity)
{
   struct text text = {source, source + size, 0};
   size_t length = strlen(name), count = 0;
   uint32_t line = 1;
   for (const char *at = source; at < text.end; at++) {
      for (const char *end = skip_comment(&text, at); at < end; at++)
         line += *at == '\n';
      if (at >= text.end)
         break;
      line += *at == '\n';
      bool begins = is_name(*at) && !is_name(char_at(&text, at - 1)) && char_at(&text, at - 1) != '.';
      if (!begins || (size_t)(text.end - at) < length || memcmp(at, name, length) != 0 ||
          is_name(char_at(&text, at + length)) || !stores_part(&text, at, at + length))
         continue;
      if (count < capacity)
         lines[count] = line;
      count++;
   }
   return count;
}
