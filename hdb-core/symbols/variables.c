/* SPDX-License-Identifier: MIT */
/* Which variables and types have a name in a frame of a stopped shader. */
#include "symbols/unit.h"

#include <stdlib.h>
#include <string.h>

/* Whether a scope is another one, or around it. */
static bool
encloses(struct unit *unit, uint32_t outer, uint32_t scope)
{
   for (unsigned depth = 0; depth < UNIT_MAX_DEPTH; depth++) {
      if (scope == outer)
         return true;
      if (!unit_parent_scope(unit, scope, &scope))
         return false;
   }
   return false;
}

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
   return !variable->scope || encloses(unit, variable->scope, frame->scope ? frame->scope : function->debug);
}

/* Before the declaration of a variable, an earlier one of that name is meant. */
static bool
is_declared(const struct unit_frame *frame, const struct unit_variable *variable)
{
   return !variable->binding_count || variable->bindings[0].word <= frame->word;
}

/* Of two variables of one name in one scope (glslang 12 has no scopes for loops) the one that was declared last. */
static bool
shadows(const struct unit_frame *frame, const struct unit_variable *a, const struct unit_variable *b)
{
   if (a->symbol.scope != b->symbol.scope || strcmp(a->symbol.name, b->symbol.name) != 0)
      return false;
   bool declared = is_declared(frame, a);
   if (declared != is_declared(frame, b) || !a->binding_count || !b->binding_count)
      return declared && !is_declared(frame, b);
   return (a->bindings[0].word > b->bindings[0].word) == declared;
}

/* Innermost scope first, in the order of the module. */
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
      for (size_t k = i + 1; k < count && list[k]->symbol.scope == list[i]->symbol.scope; k++) {
         const struct unit_variable *first = list[i];
         if (shadows(frame, list[k], first)) {
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
