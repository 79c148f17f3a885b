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

/* The nearest line with a statement: at or behind the asked one, else before it. 0: the file has none. */
static uint32_t
nearest_line(const struct hdb_symbols *symbols, const char *file, uint32_t line)
{
   uint32_t behind = UINT32_MAX, before = 0;
   for (size_t i = 0; i < symbols->pc_count; i++) {
      const struct spirv_place *place = symbols_place(symbols, i);
      if (!symbols->pcs[i].statement || !in_file(symbols, place, file))
         continue;
      if (place->line >= line && place->line < behind)
         behind = place->line;
      if (place->line < line && place->line > before)
         before = place->line;
   }
   return behind != UINT32_MAX ? behind : before;
}

/* In a debug build a line is entered at its lowest statement, once for each inlined call (a `for` is not stopped at
 * again for its condition and its increment, as in gdb). In optimised code every stretch of the line may be the only
 * one that runs (unrolled loops), so each gets a place. */
static bool
is_line_entry(const struct hdb_symbols *symbols, size_t index)
{
   bool debug = symbols->shader->flags & HDB_SHADER_DEBUG_COMPILED;
   if (!symbols->pcs[index].statement)
      return false;
   for (size_t i = index; i-- > 0;) {
      bool same = symbols_same_line(symbols, i, index);
      if (!debug && !same)
         return true;
      if (same && symbols->pcs[i].statement)
         return false;
   }
   return true;
}

size_t
hdb_symbols_find_line(const struct hdb_symbols *symbols, const char *file, uint32_t line, uint32_t *pcs,
                      size_t capacity, uint32_t *actual)
{
   size_t count = 0;
   *actual = nearest_line(symbols, file, line);
   if (!*actual)
      return 0;
   for (size_t i = 0; i < symbols->pc_count; i++) {
      const struct spirv_place *place = symbols_place(symbols, i);
      if (!in_file(symbols, place, file) || place->line != *actual || !is_line_entry(symbols, i))
         continue;
      if (count < capacity)
         pcs[count] = symbols->pcs[i].pc;
      count++;
   }
   return count;
}

void
hdb_symbols_line_range(const struct hdb_symbols *symbols, uint32_t pc, uint32_t *low, uint32_t *high)
{
   size_t index = symbols_find_pc(symbols, pc);
   *low = *high = pc;
   if (index >= symbols->pc_count)
      return;
   size_t first = index, last = index;
   while (first > 0 && symbols_same_line(symbols, first - 1, index))
      first--;
   while (last + 1 < symbols->pc_count && symbols_same_line(symbols, last + 1, index))
      last++;
   *low = symbols->pcs[first].pc;
   *high = symbols_end_of(symbols, last);
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
      struct hdb_pc_range range;
      hdb_symbols_line_range(symbols, symbols->pcs[i].pc, &range.low, &range.high);
      if (count < capacity)
         places[count] = range;
      count++;
      while (i + 1 < symbols->pc_count && symbols->pcs[i + 1].pc < range.high)
         i++;
   }
   return count;
}
