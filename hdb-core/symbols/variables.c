/* SPDX-License-Identifier: MIT */
/* Which variables and types have a name in a frame of a stopped shader. */
#include "symbols/unit.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is in scope ---- */

static bool
in_scope(const struct unit_frame *frame, const struct unit_variable *variable)
{
   struct unit *unit = frame->unit;
   if (variable->function == SPIRV_NONE)
      return true;
   if (variable->hidden)
      return false;
   const struct unit_function *function = &unit->functions[variable->function];
   if (function != unit_function_at(unit, frame->word) || variable->inlined_at != frame->inlined_at)
      return false;
   if (variable->first_line && frame->file == variable->file)
      return frame->line >= variable->first_line && frame->line <= variable->last_line;
   /* In front of a function's first DebugScope, what is in the function's own scope. */
   return !variable->scope || unit_scope_encloses(unit, variable->scope, frame->scope ? frame->scope : function->debug);
}

/* A parameter or local variable of that name, other than `first`, that is in scope. */
static bool
is_namesake(const struct unit_frame *frame, const struct unit_variable *first, const struct unit_variable *other)
{
   return other != first && other->function != SPIRV_NONE && in_scope(frame, other) &&
          strcmp(first->symbol.name, other->symbol.name) == 0;
}

/* Innermost scope first, in the order of the module; of those of one name, the one that is meant. */
static void
sort_locals(const struct unit_frame *frame, const struct unit_variable **list, size_t count)
{
   for (size_t i = 1; i < count; i++) {
      const struct unit_variable *moved = list[i];
      size_t at = i;
      for (; at > 0 && list[at - 1]->symbol.scope < moved->symbol.scope; at--)
         list[at] = list[at - 1];
      list[at] = moved;
   }
   for (size_t i = 0; i < count; i++) {
      for (size_t k = i + 1; k < count; k++) {
         const struct unit_variable *first = list[i];
         if (strcmp(first->symbol.name, list[k]->symbol.name) == 0 &&
             unit_shadows(frame, list[k], first) == UNIT_SHADOWS) {
            list[i] = list[k];
            list[k] = first;
         }
      }
   }
}

size_t
hdb_symbols_variables(struct hdb_symbols *symbols, uint32_t pc, uint32_t frame_number, const struct hdb_symbol **list,
                      size_t capacity)
{
   struct unit_table *table = unit_table(symbols);
   struct unit_frame frame = {0};
   if (!table || !table->unit_count)
      return 0;
   bool located = unit_find_frame(symbols, pc, frame_number, &frame);
   struct unit *unit = located ? frame.unit : &table->units[0];
   const struct unit_variable **found = calloc(unit->variable_count + 1, sizeof(*found));
   size_t count = 0, locals;
   if (!found)
      return 0;
   for (size_t i = 0; located && i < unit->variable_count; i++) {
      if (unit->variables[i]->function != SPIRV_NONE && in_scope(&frame, unit->variables[i]))
         found[count++] = unit->variables[i];
   }
   locals = count;
   for (size_t i = 0; i < unit->variable_count; i++) {
      if (unit->variables[i]->function == SPIRV_NONE)
         found[count++] = unit->variables[i];
   }
   if (located)
      sort_locals(&frame, found, locals);
   for (size_t i = 0; i < count && i < capacity; i++)
      list[i] = &found[i]->symbol;
   free(found);
   return count;
}

const struct hdb_symbol *
hdb_symbols_rival(struct hdb_symbols *symbols, uint32_t pc, uint32_t frame_number, const struct hdb_symbol *symbol)
{
   const struct unit_variable *variable = (const struct unit_variable *)symbol;
   struct unit_frame frame;
   if ((symbol->storage != HDB_STORAGE_LOCAL && symbol->storage != HDB_STORAGE_PARAMETER) ||
       !unit_find_frame(symbols, pc, frame_number, &frame) || frame.unit != variable->unit)
      return NULL;
   for (size_t i = 0; i < frame.unit->variable_count; i++) {
      const struct unit_variable *other = frame.unit->variables[i];
      if (is_namesake(&frame, variable, other) && unit_shadows(&frame, variable, other) == UNIT_UNORDERED)
         return &other->symbol;
   }
   return NULL;
}

enum hdb_language
hdb_symbols_language(const struct hdb_symbols *symbols)
{
   struct unit_table *table = unit_table((struct hdb_symbols *)symbols); /* read on the first question */
   return table && table->unit_count ? table->units[0].language : HDB_LANGUAGE_UNKNOWN;
}

bool
hdb_symbols_has_composites_of_values(struct hdb_symbols *symbols)
{
   struct unit_table *table = unit_table(symbols);
   bool has = false;
   for (size_t u = 0; table && u < table->unit_count; u++)
      has |= table->units[u].composites_of_values;
   return has;
}

size_t
hdb_symbols_unknown_debug_instructions(struct hdb_symbols *symbols)
{
   struct unit_table *table = unit_table(symbols);
   size_t count = 0;
   for (size_t u = 0; table && u < table->unit_count; u++)
      count += table->units[u].unknown_debug_count;
   return count;
}
