/* SPDX-License-Identifier: MIT */
/* What the driver's tables say of variables, values and constants of a module (hdb_driver.h). */
#include "symbols/unit.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

bool
symbols_specialization(const struct hdb_symbols *symbols, uint32_t constant_id, uint64_t *value)
{
   const struct hdb_shader *shader = symbols->shader;
   for (uint32_t i = 0; i < shader->specialization_count; i++) {
      if (shader->specializations[i].constant_id == constant_id) {
         *value = shader->specializations[i].value;
         return true;
      }
   }
   return false;
}

/* ---- locations ---- */

static int
compare_locations(const void *a, const void *b)
{
   const struct unit_location *x = a, *y = b;
   if (x->spirv_offset != y->spirv_offset)
      return x->spirv_offset < y->spirv_offset ? -1 : 1;
   return (x->index > y->index) - (x->index < y->index);
}

/* By offset, so that the locations of an instruction, one for each call that it was inlined into, are together. */
bool
symbols_sort_locations(struct hdb_symbols *symbols)
{
   const struct hdb_shader *shader = symbols->shader;
   struct unit_table *table = symbols->table;
   table->locations = calloc((size_t)shader->location_count + 1, sizeof(*table->locations));
   if (!table->locations)
      return false;
   for (uint32_t i = 0; i < shader->location_count; i++)
      table->locations[i] = (struct unit_location){shader->locations[i].spirv_offset, i};
   qsort(table->locations, shader->location_count, sizeof(*table->locations), compare_locations);
   return true;
}

/* The first of those at a word of the unit, and how many there are. */
static const struct unit_location *
find_locations(struct unit *unit, uint32_t word, size_t *count)
{
   const struct unit_table *table = unit->symbols->table;
   const struct hdb_shader *shader = unit->symbols->shader;
   uint32_t offset = (unit->reader.first_word + word) * 4;
   size_t low = 0, high = shader->location_count;
   while (low < high) {
      size_t middle = (low + high) / 2;
      if (table->locations[middle].spirv_offset < offset)
         low = middle + 1;
      else
         high = middle;
   }
   *count = 0;
   while (low + *count < shader->location_count && table->locations[low + *count].spirv_offset == offset)
      (*count)++;
   return &table->locations[low];
}

/* ---- variables in memory ---- */

static bool
is_private(struct unit *unit, uint32_t word)
{
   struct spirv_instruction variable;
   return spirv_read_instruction(&unit->reader, word, &variable) == 0 && variable.opcode == SpvOpVariable &&
          spirv_operand(&variable, 2) != SpvStorageClassFunction;
}

static bool
find_variable(struct unit *unit, uint32_t word, enum hdb_variable_kind kind, const struct unit_frame *frame,
              uint32_t *offset)
{
   const struct hdb_shader *shader = unit->symbols->shader;
   bool global = is_private(unit, word);
   for (uint32_t i = 0; i < shader->variable_count; i++) {
      const struct hdb_variable *variable = &shader->variables[i];
      if (variable->kind != kind || variable->location >= shader->location_count ||
          shader->locations[variable->location].spirv_offset != (unit->reader.first_word + word) * 4)
         continue;
      if (!global && !unit_same_call(unit->symbols, variable->location, frame->location))
         continue;
      *offset = variable->offset;
      return true;
   }
   return false;
}

bool
symbols_scratch_offset(struct unit *unit, uint32_t word, const struct unit_frame *frame, uint32_t *offset)
{
   return find_variable(unit, word, HDB_VARIABLE_SCRATCH, frame, offset);
}

bool
symbols_workgroup_offset(struct unit *unit, uint32_t word, uint32_t *offset)
{
   return find_variable(unit, word, HDB_VARIABLE_LDS, NULL, offset);
}

/* ---- values ---- */

/* The first value of a location. */
static uint32_t
find_values(const struct hdb_shader *shader, uint32_t location)
{
   uint32_t low = 0, high = shader->value_count;
   while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (shader->values[middle].location < location)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

/* The values of the instruction at a word, in the call that the frame is in, at `pc`; `take` says which it wants. */
bool
symbols_find_value(struct unit *unit, uint32_t word, const struct unit_frame *frame, uint32_t pc,
                   bool (*take)(void *user, const struct hdb_value *value), void *user)
{
   const struct hdb_shader *shader = unit->symbols->shader;
   size_t count;
   const struct unit_location *locations = find_locations(unit, word, &count);
   bool global = is_private(unit, word);
   for (size_t i = 0; i < count; i++) {
      if (!global && !unit_same_call(unit->symbols, locations[i].index, frame->location))
         continue;
      for (uint32_t v = find_values(shader, locations[i].index);
           v < shader->value_count && shader->values[v].location == locations[i].index; v++) {
         const struct hdb_value *value = &shader->values[v];
         if (value->low <= pc && pc < value->high && take(user, value))
            return true;
      }
   }
   return false;
}

/* False: of a kind or size that is not the scalar's. */
bool
symbols_make_piece(const struct hdb_value *value, const struct hdb_type *scalar, struct hdb_piece *piece)
{
   static const enum hdb_piece_kind kinds[] = {
      [HDB_VALUE_CONSTANT] = HDB_PIECE_BYTES,
      [HDB_VALUE_VGPR] = HDB_PIECE_VGPR,
      [HDB_VALUE_SGPR] = HDB_PIECE_SGPR,
      [HDB_VALUE_LANE_MASK] = HDB_PIECE_LANE_MASK,
      [HDB_VALUE_SCC] = HDB_PIECE_SCC,
      [HDB_VALUE_SCRATCH] = HDB_PIECE_SCRATCH,
      [HDB_VALUE_VGPR_LANE] = HDB_PIECE_VGPR_LANE,
   };
   if (value->kind >= sizeof(kinds) / sizeof(kinds[0]))
      return false;
   bool is_bit = value->kind == HDB_VALUE_LANE_MASK || value->kind == HDB_VALUE_SCC;
   if (scalar->kind == HDB_TYPE_BOOL) { /* 32 bits: 0 or 1, as in memory */
      if (value->bits == 1 ? !is_bit && value->kind != HDB_VALUE_CONSTANT : is_bit || value->bits != 32)
         return false;
   } else if (is_bit || value->bits != scalar->bits) {
      return false;
   }
   *piece = (struct hdb_piece){
      .kind = kinds[value->kind],
      .where = value->where,
      .byte = value->kind == HDB_VALUE_VGPR_LANE ? value->lane : value->byte,
   };
   memcpy(piece->bytes, &value->constant, sizeof(piece->bytes));
   return true;
}
