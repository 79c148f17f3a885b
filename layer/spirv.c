/* SPDX-License-Identifier: MIT */
/*
 * Whether shader code can be SPIR-V at all, before a driver that trusts it reads it: the header, and whether the
 * instructions fill the module exactly (SPIR-V specification 2.3, "Physical Layout of a SPIR-V Module"). What the
 * instructions say is not looked into.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layer.h"

#define MAGIC 0x07230203u
#define HEADER_WORDS 5
#define NEWEST_VERSION 0x00010600u

enum { OP_ENTRY_POINT = 15, OP_FUNCTION = 54, OP_FUNCTION_END = 56 };

/* The application's pointer need not be aligned. */
static uint32_t
read_word(const void *code, size_t word)
{
   uint32_t value;
   memcpy(&value, (const char *)code + word * sizeof(value), sizeof(value));
   return value;
}

static bool
check_header(const void *code, size_t size, char *problem, size_t problem_size)
{
   if (!code || size < HEADER_WORDS * sizeof(uint32_t)) {
      snprintf(problem, problem_size, "%zu bytes are less than its header", code ? size : 0);
      return false;
   }
   uint32_t magic = read_word(code, 0), version = read_word(code, 1);
   if (magic == __builtin_bswap32(MAGIC))
      snprintf(problem, problem_size, "it is of the other byte order");
   else if (magic != MAGIC)
      snprintf(problem, problem_size, "it begins with 0x%08" PRIx32 ", not 0x%08x", magic, MAGIC);
   else if (size % sizeof(uint32_t))
      snprintf(problem, problem_size, "its size, %zu bytes, is no multiple of 4", size);
   else if (version & 0xff0000ffu || version < 0x00010000u || version > NEWEST_VERSION)
      snprintf(problem, problem_size, "its version word is 0x%08" PRIx32 "; known are 1.0 to 1.6", version);
   else
      return true;
   return false;
}

static bool
check_instructions(const void *code, size_t words, char *problem, size_t problem_size)
{
   bool entry_point = false, function = false, inside = false;
   for (size_t word = HEADER_WORDS; word < words;) {
      uint32_t first = read_word(code, word), count = first >> 16, opcode = first & 0xffff;
      if (count == 0 || count > words - word) {
         snprintf(problem, problem_size,
                  "the instruction at byte %zu has %" PRIu32 " words, where %zu are left: cut off or overwritten",
                  word * 4, count, words - word);
         return false;
      }
      entry_point |= opcode == OP_ENTRY_POINT;
      function |= opcode == OP_FUNCTION;
      inside = opcode == OP_FUNCTION || (inside && opcode != OP_FUNCTION_END);
      word += count;
   }
   if (entry_point && function && !inside)
      return true;
   snprintf(problem, problem_size, "%s",
            inside        ? "it ends inside a function: cut off"
            : entry_point ? "it has an entry point but no function: cut off"
                          : "it has no entry point");
   return false;
}

bool
layer_spirv_check(const void *code, size_t size, const char *where)
{
   char problem[160];
   if (check_header(code, size, problem, sizeof(problem)) &&
       check_instructions(code, size / sizeof(uint32_t), problem, sizeof(problem)))
      return true;
   fprintf(stderr, "hdb: %s: this is no SPIR-V module: %s\n", where, problem);
   return false;
}

bool
layer_spirv_check_stages(const VkPipelineShaderStageCreateInfo *stages, uint32_t count, const char *where)
{
   bool good = true;
   for (uint32_t i = 0; i < count; i++) {
      /* The structure counts only where no module stands beside it. */
      const VkBaseInStructure *next = stages[i].module ? NULL : stages[i].pNext;
      for (; next; next = next->pNext) {
         if (next->sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO) {
            const VkShaderModuleCreateInfo *info = (const void *)next;
            good &= layer_spirv_check(info->pCode, info->codeSize, where);
         }
      }
   }
   return good;
}
