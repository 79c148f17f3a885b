/* SPDX-License-Identifier: MIT */
/* From a source line to its instructions. */
#include "symbols/private.h"

#include <string.h>

/* Without the leading "./" and "../": what a relative path starts from is not known here. */
static const char *
skip_dots(const char *path)
{
   while (path[0] == '.' && (path[1] == '/' || (path[1] == '.' && path[2] == '/')))
      path = strchr(path, '/') + 1;
   return path;
}

/* Whether one path is the end of the other, whole components only: the module, the user and an editor each have their
 * own way to spell it. */
bool
symbols_paths_match(const char *a, const char *b)
{
   const char *longer = skip_dots(a), *shorter = skip_dots(b);
   if (strlen(longer) < strlen(shorter)) {
      const char *swap = longer;
      longer = shorter;
      shorter = swap;
   }
   const char *tail = longer + (strlen(longer) - strlen(shorter));
   return *shorter && strcmp(tail, shorter) == 0 && (tail == longer || tail[-1] == '/' || *shorter == '/');
}

static bool
in_file(const struct hdb_symbols *symbols, const struct spirv_place *place, const char *file)
{
   return place && symbols_paths_match(symbols->module.files[place->file].name, file);
}

/* ---- the lines of functions ---- */

struct line_range {
   uint32_t first, last;
};

static bool
closes_block(const char *text, size_t length, bool *blank)
{
   while (length && (*text == ' ' || *text == '\t' || *text == '\r')) {
      text++;
      length--;
   }
   *blank = !length || (length > 1 && text[0] == '/' && text[1] == '/');
   return length && *text == '}';
}

/* A module has no lines for the braces behind the last statement; its text shows them. */
static uint32_t
find_closing_line(const struct hdb_symbols *symbols, const char *file, uint32_t last)
{
   bool blank = true, closes = true;
   const char *text;
   size_t length;
   for (uint32_t line = last + 1; (blank || closes) && (text = hdb_symbols_line_text(symbols, file, line, &length));
        line++) {
      closes = closes_block(text, length, &blank);
      if (closes)
         last = line;
   }
   return last;
}

/* From the first line that the module names in the function, mostly its declaration's, to the last one. First 0: none
 * in this file. */
static struct line_range
lines_of_function(const struct hdb_symbols *symbols, const char *file, uint32_t function)
{
   struct line_range range = {0};
   for (size_t i = 0; i < symbols->module.place_count; i++) {
      const struct spirv_place *place = &symbols->module.places[i];
      if (place->function != function || place->file == SPIRV_NONE || !in_file(symbols, place, file))
         continue;
      if (!range.first || place->line < range.first)
         range.first = place->line;
      if (place->line > range.last)
         range.last = place->line;
   }
   return range;
}

/* The function around a line, as the lines from its declaration to its last statement; first 0: the line is in none.
 * Where several are around it (an optimiser inlined one without saying so), the smallest. */
static struct line_range
find_function(const struct hdb_symbols *symbols, const char *file, uint32_t line)
{
   struct line_range found = {0};
   for (uint32_t i = 0; i < symbols->module.function_count; i++) {
      struct line_range range = lines_of_function(symbols, file, i);
      if (!range.first || line < range.first ||
          (line > range.last && line > find_closing_line(symbols, file, range.last)))
         continue;
      if (!found.first || range.last - range.first < found.last - found.first)
         found = range;
   }
   return found;
}

/* The nearest line with code between the first and the last one: at or behind the asked one, else before it. 0: none.
 */
static uint32_t
nearest_line(const struct hdb_symbols *symbols, const char *file, uint32_t line, struct line_range within)
{
   uint32_t behind = UINT32_MAX, before = 0;
   for (size_t i = 0; i < symbols->pc_count; i++) {
      const struct spirv_place *place = symbols_place(symbols, i);
      if (!in_file(symbols, place, file) || place->line < within.first || place->line > within.last)
         continue;
      if (place->line >= line && place->line < behind)
         behind = place->line;
      if (place->line < line && place->line > before)
         before = place->line;
   }
   return behind != UINT32_MAX ? behind : before;
}

static bool
has_statement(const struct hdb_symbols *symbols, const char *file, uint32_t line)
{
   for (size_t i = 0; i < symbols->pc_count; i++) {
      const struct spirv_place *place = symbols_place(symbols, i);
      if (symbols->pcs[i].statement && in_file(symbols, place, file) && place->line == line)
         return true;
   }
   return false;
}

/* In a debug build a line is entered at its lowest statement, once for each inlined call (a `for` is not stopped at
 * again for its condition and its increment, as in gdb). In optimised code every stretch of the line may be the only
 * one that runs (unrolled loops), so each gets a place. `any`: the line has no statement, its other instructions do. */
static bool
is_line_entry(const struct hdb_symbols *symbols, size_t index, bool any)
{
   bool debug = symbols->shader->flags & HDB_SHADER_DEBUG_COMPILED;
   if (!any && !symbols->pcs[index].statement)
      return false;
   for (size_t i = index; i-- > 0;) {
      bool same = symbols_same_line(symbols, i, index);
      if (!debug && !same)
         return true;
      if (same && (any || symbols->pcs[i].statement))
         return false;
   }
   return true;
}

size_t
hdb_symbols_find_line(const struct hdb_symbols *symbols, const char *file, uint32_t line, uint32_t *pcs,
                      size_t capacity, uint32_t *actual)
{
   static const struct line_range everywhere = {1, UINT32_MAX};
   struct line_range function = find_function(symbols, file, line);
   size_t count = 0;
   *actual = nearest_line(symbols, file, line, everywhere);
   if (*actual && function.first) {
      *actual = nearest_line(symbols, file, line, function);
      if (!*actual) {
         *actual = line;
         return 0;
      }
   }
   bool any = *actual && !has_statement(symbols, file, *actual);
   for (size_t i = 0; *actual && i < symbols->pc_count; i++) {
      const struct spirv_place *place = symbols_place(symbols, i);
      if (!in_file(symbols, place, file) || place->line != *actual || !is_line_entry(symbols, i, any))
         continue;
      if (count < capacity)
         pcs[count] = symbols->pcs[i].pc;
      count++;
   }
   return count;
}

/* ---- the code of lines ---- */

/* The stretch of instructions around one that belong to the same line of the same inlined call. */
static struct hdb_pc_range
line_range(const struct hdb_symbols *symbols, size_t index)
{
   size_t first = index, last = index;
   while (first > 0 && symbols_same_line(symbols, first - 1, index))
      first--;
   while (last + 1 < symbols->pc_count && symbols_same_line(symbols, last + 1, index))
      last++;
   return (struct hdb_pc_range){symbols->pcs[first].pc, symbols_end_of(symbols, last)};
}

size_t
hdb_symbols_line_places(const struct hdb_symbols *symbols, const char *file, uint32_t line, struct hdb_pc_range *places,
                        size_t capacity)
{
   size_t count = 0;
   for (size_t i = 0; i < symbols->pc_count; i++) {
      const struct spirv_place *place = symbols_place(symbols, i);
      if (!in_file(symbols, place, file) || place->line != line)
         continue;
      struct hdb_pc_range range = line_range(symbols, i);
      if (count < capacity)
         places[count] = range;
      count++;
      while (i + 1 < symbols->pc_count && symbols->pcs[i + 1].pc < range.high)
         i++;
   }
   return count;
}
