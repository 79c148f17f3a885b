/* SPDX-License-Identifier: MIT */
/* Any bytes as a SPIR-V module with any tables of the driver's: types, variables, and where they are. */
#include <stdlib.h>
#include <string.h>

#include "symbols/variables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_ENTRIES 64
#define MAX_TYPES 64
#define MAX_NESTING 8

static uint32_t
pick(const uint8_t *data, size_t size, uint32_t i, uint32_t below)
{
   return size ? (data[(i * 13 + 7) % size] | data[(i * 29 + 3) % size] << 8) % below : 0;
}

/* As a printer walks through it. */
static void
walk(const struct hdb_type *type, unsigned depth)
{
   if (!type->name || (type->align == 0 && type->size) || depth > MAX_NESTING)
      return;
   for (uint32_t m = 0; m < type->member_count && m < 16; m++) {
      if (!type->members[m].name)
         abort();
      walk(type->members[m].type, depth + 1);
   }
   if (type->element)
      walk(type->element, depth + 1);
}

static void
look(struct hdb_symbols *symbols, uint32_t pc, uint32_t frame)
{
   const struct hdb_symbol *list[32];
   struct hdb_piece pieces[16];
   size_t count = hdb_symbols_variables(symbols, pc, frame, list, 32);
   for (size_t i = 0; i < count && i < 32; i++) {
      if (!list[i]->name || !list[i]->type || strlen(list[i]->name) > 1u << 24)
         abort();
      walk(list[i]->type, 0);
      size_t pieces_count = hdb_symbols_locate(symbols, pc, frame, list[i], pieces, 16);
      uint64_t end = 0;
      for (size_t p = 0; p < pieces_count && p < 16; p++) {
         if (pieces[p].offset != end || (pieces[p].kind == HDB_PIECE_UNAVAILABLE && !pieces[p].why))
            abort();
         end += pieces[p].size;
      }
      if (end > list[i]->type->size)
         abort();
   }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   struct hdb_location locations[MAX_ENTRIES] = {{0, 0}};
   struct hdb_pc_location pcs[MAX_ENTRIES];
   struct hdb_variable variables[MAX_ENTRIES];
   struct hdb_value values[MAX_ENTRIES];
   struct hdb_specialization specialization = {.constant_id = 1, .size = 4, .value = 3};
   uint32_t *module = malloc(size ? size : 1);
   memcpy(module, data, size);
   for (uint32_t i = 0; i < MAX_ENTRIES; i++) {
      if (i)
         locations[i] = (struct hdb_location){pick(data, size, i, size + 1), pick(data, size, i + 100, MAX_ENTRIES)};
      pcs[i] = (struct hdb_pc_location){.pc = 4 * i, .location = i};
      variables[i] = (struct hdb_variable){i % 2, pick(data, size, i + 200, MAX_ENTRIES + 1), 4 * i};
      values[i] = (struct hdb_value){
         .high = UINT32_MAX, .location = i, .merge = i % 3, .kind = i % 8, .bits = i % 5 ? 32 : 1, .where = i};
   }
   struct hdb_shader shader = {
      .spirv = module,
      .spirv_size = size,
      .exec_size = 4 * MAX_ENTRIES,
      .location_count = MAX_ENTRIES,
      .pc_location_count = MAX_ENTRIES,
      .variable_count = MAX_ENTRIES,
      .value_count = MAX_ENTRIES,
      .specialization_count = 1,
      .locations = locations,
      .pc_locations = pcs,
      .variables = variables,
      .values = values,
      .specializations = &specialization,
   };
   struct hdb_symbols *symbols;
   char *error;
   if (hdb_symbols_create(&shader, &symbols, &error) == 0) {
      for (uint32_t i = 0; i < MAX_ENTRIES; i += 5)
         look(symbols, 4 * i, i % 3);
      for (size_t i = 0; i < MAX_TYPES && hdb_symbols_type(symbols, i); i++)
         walk(hdb_symbols_type(symbols, i), 0);
      hdb_symbols_find_type(symbols, "Blade", HDB_LAYOUT_DECORATED);
      struct hdb_struct_layout layouts[4];
      size_t count = hdb_symbols_layouts(symbols, "Blade", layouts, 4);
      for (size_t i = 0; i < count; i++)
         walk(layouts[i].type, 0);
      for (uint32_t i = 1; i < MAX_ENTRIES; i++) {
         struct hdb_piece pieces[16];
         const struct hdb_symbol *returned = hdb_symbols_returned(symbols, locations[i].spirv_offset);
         if (returned && hdb_symbols_returned(symbols, locations[i].spirv_offset) != returned)
            abort();
         if (returned)
            hdb_symbols_locate(symbols, 4 * i, 0, returned, pieces, 16);
      }
      hdb_symbols_destroy(symbols);
   }
   free(error);
   free(module);
   return 0;
}
