/* SPDX-License-Identifier: MIT */
/* What the module's entry point says: the stage that code was compiled for, the order of invocations. */
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "symbols/private.h"
#include "symbols/reader.h"

/* Of the entry point of that name, or of the only one. The words have been read before, and are well-formed.
 * SPIRV_NONE: there is none, or are several. */
static uint32_t
find_execution_model(const uint32_t *words, size_t count, const char *name)
{
   uint32_t named = SPIRV_NONE, only = SPIRV_NONE;
   size_t named_count = 0, entry_count = 0;
   for (size_t word = SPIRV_HEADER_WORDS; word < count; word += words[word] >> SpvWordCountShift) {
      struct spirv_instruction i = {
         .opcode = words[word] & SpvOpCodeMask,
         .count = words[word] >> SpvWordCountShift,
         .words = &words[word],
      };
      if (i.opcode == SpvOpFunction)
         break;
      if (i.opcode != SpvOpEntryPoint)
         continue;
      const char *entry = spirv_literal(&i, 2);
      only = spirv_operand(&i, 0);
      entry_count++;
      if (entry && name && strcmp(entry, name) == 0) {
         named = only;
         named_count++;
      }
   }
   return entry_count == 1 ? only : named_count == 1 ? named : SPIRV_NONE;
}

bool
symbols_has_quads(const struct hdb_shader *shader)
{
   struct spirv_reader reader = {.words = shader->spirv, .word_count = shader->spirv ? shader->spirv_size / 4 : 0};
   struct spirv_instruction i;
   for (uint32_t word = SPIRV_HEADER_WORDS; word < reader.word_count; word += i.count) {
      if (spirv_read_instruction(&reader, word, &i) || i.opcode == SpvOpFunction)
         break;
      if (i.opcode == SpvOpExecutionMode && spirv_operand(&i, 1) == SpvExecutionModeDerivativeGroupQuadsNV)
         return true;
   }
   return false;
}

const char *
hdb_symbols_stage(const struct hdb_symbols *symbols, uint32_t pc)
{
   const struct hdb_shader *shader = symbols->shader;
   size_t index = symbols_find_pc(symbols, pc), first = 0, count = shader->spirv ? shader->spirv_size / 4 : 0;
   if (index >= symbols->pc_count || !count)
      return NULL;
   uint32_t offset = symbols->locations[symbols->pcs[index].location].spirv_offset;
   size_t end = spirv_find_module_end(shader->spirv, count);
   while (offset / 4 >= end && end < count) { /* a stage that was inlined, with a module of its own */
      first = end;
      end += spirv_find_module_end(shader->spirv + first, count - first);
   }
   switch (find_execution_model(shader->spirv + first, end - first, shader->entry_point)) {
   case SpvExecutionModelRayGenerationKHR:
      return HDB_STAGE_RAYGEN;
   case SpvExecutionModelIntersectionKHR:
      return "intersection";
   case SpvExecutionModelAnyHitKHR:
      return "any-hit";
   case SpvExecutionModelClosestHitKHR:
      return "closest-hit";
   case SpvExecutionModelMissKHR:
      return "miss";
   case SpvExecutionModelCallableKHR:
      return "callable";
   default:
      return NULL;
   }
}
