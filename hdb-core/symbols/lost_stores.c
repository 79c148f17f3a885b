/* SPDX-License-Identifier: MIT */
/*
 * Composites whose bindings do not tell of all stores.
 *
 * spirv-opt (also as a part of glslang, for HLSL) puts SSA values in the place of variables and says by DebugValue what
 * each store has made of a variable. When it then finds that nobody reads the whole again, it drops what was inserted
 * into it: the DebugValue of a store to a part comes to bind the value from before that store again, or is gone. What a
 * variable had before must not be shown as what it has. The first is seen in the module. The second only in the source,
 * if the module has it: on the line of the store no DebugValue is left.
 */
#include "symbols/source_scopes.h"
#include "symbols/unit.h"

#include <string.h>

/* A module must not make us slow: beyond these, stores count as lost. */
#define MAX_STORES 256       /* to parts of variables of one name in one file */
#define MAX_SCANNED 16777216 /* bytes of sources, for all variables */
#define MAX_BINDINGS 1024    /* of a variable */

/* Whether two bindings are of the same part, or (`within`) one of a part of the other's. */
static bool
overlap(struct unit *unit, const struct unit_binding *a, const struct unit_binding *b, bool within)
{
   struct spirv_instruction first, second;
   if (a->fragment_offset != b->fragment_offset || a->fragment_size != b->fragment_size ||
       (!within && a->index_count != b->index_count))
      return false;
   spirv_read_instruction(&unit->reader, a->word, &first);
   spirv_read_instruction(&unit->reader, b->word, &second);
   for (uint32_t k = 0; k < a->index_count && k < b->index_count; k++) {
      if (spirv_debug_operand(&first, 3 + k) != spirv_debug_operand(&second, 3 + k))
         return false;
   }
   return true;
}

static bool
is_repeated(struct unit *unit, const struct unit_variable *variable, size_t index)
{
   const struct unit_binding *binding = &variable->bindings[index];
   for (size_t b = index; b-- > 0;) {
      const struct unit_binding *before = &variable->bindings[b];
      if (overlap(unit, before, binding, false))
         return before->value == binding->value && unit_type_of(unit, binding->value)->scalars > 1;
   }
   return false;
}

static uint32_t
line_of(struct unit *unit, const struct unit_binding *binding)
{
   const struct spirv_place *place =
      spirv_find_place(&unit->symbols->module, (unit->reader.first_word + binding->word) * 4);
   return place ? place->line : 0;
}

static const struct spirv_file *
find_file(struct unit *unit, const struct unit_variable *variable)
{
   const struct spirv_module *module = &unit->symbols->module;
   const char *name = variable->symbol.declared.file;
   for (size_t f = 0; name && f < module->file_count; f++) {
      if (strcmp(module->files[f].name, name) == 0)
         return module->files[f].text ? &module->files[f] : NULL;
   }
   return NULL;
}

/* How many of the bindings come from stores on that line; on that of the declaration, behind its initialization. */
static size_t
count_bindings(struct unit *unit, const struct unit_variable *variable, uint32_t line)
{
   size_t count = 0;
   bool declares = line == (variable->first_line ? variable->first_line : variable->symbol.declared.line);
   for (size_t b = 0; b < variable->binding_count; b++) {
      const struct unit_binding *binding = &variable->bindings[b];
      bool again = !declares;
      for (size_t before = 0; before < b && !again; before++)
         again = overlap(unit, &variable->bindings[before], binding, true);
      count += again && binding->understood && line_of(unit, binding) == line;
   }
   return count;
}

/* Whether the source stores to a part on a line that has fewer bindings than such stores. */
static bool
has_lost_store(struct unit *unit, const struct unit_variable *variable, uint64_t *scanned)
{
   const struct spirv_file *file = find_file(unit, variable);
   uint32_t lines[MAX_STORES];
   if (!file)
      return false;
   *scanned += file->text_size;
   if (*scanned > MAX_SCANNED || variable->binding_count > MAX_BINDINGS)
      return true;
   size_t count = source_find_part_stores(file->text, file->text_size, variable->symbol.name, lines, MAX_STORES);
   if (count > MAX_STORES)
      return true;
   for (size_t i = 0, stores = 1; i < count; i++, stores++) {
      if (i + 1 < count && lines[i + 1] == lines[i])
         continue;
      bool in_scope = !variable->first_line || (lines[i] >= variable->first_line && lines[i] <= variable->last_line);
      if (in_scope && count_bindings(unit, variable, lines[i]) < stores)
         return true;
      stores = 0;
   }
   return false;
}

static bool
is_composite_of_values(const struct unit_variable *variable)
{
   bool values = false;
   for (size_t b = 0; b < variable->binding_count; b++)
      values |= !variable->bindings[b].declare;
   return variable->bound && values && variable->symbol.type->scalars > 1;
}

void
unit_doubt_bindings(struct unit *unit)
{
   uint64_t scanned = 0;
   for (size_t v = 0; v < unit->variable_count; v++) {
      struct unit_variable *variable = unit->variables[v];
      if (!is_composite_of_values(variable))
         continue;
      unit->composites_of_values = true;
      /* The later ones first: what is doubted still compares. */
      for (size_t b = variable->binding_count < MAX_BINDINGS ? variable->binding_count : 0; b-- > 1;) {
         if (is_repeated(unit, variable, b))
            variable->bindings[b].understood = false;
      }
      if (!has_lost_store(unit, variable, &scanned))
         continue;
      for (size_t b = 0; b < variable->binding_count; b++)
         variable->bindings[b].understood = false;
   }
}
