/* SPDX-License-Identifier: MIT */
/* NonSemantic.DebugBreak: instruction 1. It has no code of its own. */
#include "symbols/breaks.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "symbols/unit.h"

static bool
is_break(struct unit *unit, const struct spirv_instruction *instruction)
{
   struct spirv_instruction import;
   const char *name = NULL;
   if (instruction->opcode == SpvOpExtInst && instruction->count >= 5 &&
       unit_define(unit, spirv_operand(instruction, 2), &import) && import.opcode == SpvOpExtInstImport)
      name = spirv_literal(&import, 1);
   return name && spirv_operand(instruction, 3) == 1 && strcmp(name, "NonSemantic.DebugBreak") == 0;
}

static size_t
find_in_unit(struct unit *unit, struct hdb_break *breaks, size_t capacity)
{
   struct spirv_instruction instruction;
   size_t count = 0;
   uint32_t block = 0, first = unit->reader.first_word;
   for (uint32_t word = SPIRV_HEADER_WORDS; word < unit->reader.word_count && count < capacity;
        word += instruction.count) {
      if (spirv_read_instruction(&unit->reader, word, &instruction))
         break;
      if (instruction.opcode == SpvOpLabel)
         block = (first + word) * 4;
      if (is_break(unit, &instruction))
         breaks[count++] = (struct hdb_break){.spirv_offset = (first + word) * 4, .block = block};
   }
   return count;
}

bool
hdb_shader_breaks(const struct hdb_shader *shader)
{
   static const char name[] = "NonSemantic.DebugBreak";
   return shader->spirv && memmem(shader->spirv, shader->spirv_size, name, sizeof(name));
}

size_t
hdb_symbols_breaks(struct hdb_symbols *symbols, struct hdb_break *breaks, size_t capacity)
{
   struct unit_table *table = unit_table(symbols);
   size_t count = 0;
   for (size_t i = 0; table && i < table->unit_count; i++)
      count += find_in_unit(&table->units[i], breaks + count, capacity - count);
   return count;
}

static uint32_t
offset_of(const struct hdb_symbols *symbols, size_t index)
{
   return symbols->locations[symbols->pcs[index].location].spirv_offset;
}

size_t
hdb_symbols_find_break(const struct hdb_symbols *symbols, const struct hdb_break *position, uint32_t *pcs,
                       size_t capacity)
{
   uint32_t nearest = 0;
   size_t count = 0;
   for (size_t i = 0; symbols->padded && i < symbols->pc_count; i++) {
      uint32_t offset = symbols->pcs[i].statement ? offset_of(symbols, i) : 0;
      if (offset > position->block && offset <= position->spirv_offset && offset > nearest)
         nearest = offset;
   }
   for (size_t i = 0; nearest && i < symbols->pc_count && count < capacity; i++) {
      if (symbols->pcs[i].statement && offset_of(symbols, i) == nearest)
         pcs[count++] = symbols->pcs[i].pc;
   }
   return count;
}
