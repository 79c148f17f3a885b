/* SPDX-License-Identifier: MIT */
/* Test helpers: SPIR-V files, and shaders whose machine code is one "instruction" for each SPIR-V instruction. */
#ifndef TEST_MODULE_H
#define TEST_MODULE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "hdb/hdb_driver.h"

struct test_module {
   uint32_t *words;
   size_t size;
};

static inline struct test_module
load_module(const char *directory, const char *name)
{
   char path[4096];
   struct test_module module = {0};
   snprintf(path, sizeof(path), "%s%s%s", directory, *directory ? "/" : "", name);
   FILE *file = fopen(path, "rb");
   if (!file) {
      fprintf(stderr, "%s: cannot be opened\n", path);
      exit(1);
   }
   fseek(file, 0, SEEK_END);
   module.size = ftell(file);
   rewind(file);
   module.words = malloc(module.size);
   if (fread(module.words, 1, module.size, file) != module.size)
      exit(1);
   fclose(file);
   return module;
}

/* Byte offset of the n-th instruction (from 0) of an opcode behind `from`; 0: none. */
static inline uint32_t
find_opcode(const struct test_module *module, uint32_t opcode, unsigned n, uint32_t from)
{
   for (uint32_t word = from ? from / 4 : 5; word < module->size / 4; word += module->words[word] >> 16) {
      if ((module->words[word] & 0xffff) == opcode && n-- == 0)
         return word * 4;
   }
   return 0;
}

/* A shader as a driver would report it: the instructions from OpLabel to OpFunctionEnd of the entry point, the first
 * function of the module, with those of the second one inlined at each OpFunctionCall. */
struct test_shader {
   struct hdb_shader shader;
   struct hdb_location *locations;
   struct hdb_pc_location *pcs;
   uint32_t *code;
};

static inline void
add_function(struct test_shader *test, const struct test_module *module, uint32_t first, uint32_t callee,
             uint32_t inlined_at)
{
   for (uint32_t word = first / 4;; word += module->words[word] >> 16) {
      uint32_t opcode = module->words[word] & 0xffff;
      if (opcode == SpvOpFunctionEnd)
         return;
      if (opcode == SpvOpVariable || opcode == SpvOpLabel || opcode == SpvOpFunction ||
          opcode == SpvOpFunctionParameter || opcode == SpvOpLine)
         continue;
      uint32_t location = test->shader.location_count++;
      test->locations[location] = (struct hdb_location){.spirv_offset = word * 4, .inlined_at = inlined_at};
      if (opcode == SpvOpFunctionCall) {
         add_function(test, module, callee, 0, location);
      } else if (opcode != SpvOpExtInst) {
         uint32_t i = test->shader.pc_location_count++;
         test->pcs[i] = (struct hdb_pc_location){.pc = 4 * i, .location = location};
         test->code[i] = 0xbf890000; /* s_waitcnt 0 */
      }
   }
}

static inline struct test_shader
make_shader(const struct test_module *module)
{
   uint32_t count = module->size / 4;
   struct test_shader test = {
      .locations = calloc(2 * count, sizeof(*test.locations)),
      .pcs = calloc(2 * count, sizeof(*test.pcs)),
      .code = calloc(2 * count, sizeof(*test.code)),
   };
   test.shader = (struct hdb_shader){
      .id = 1,
      .va = 0x100000,
      .flags = HDB_SHADER_DEBUG_COMPILED,
      .wave_size = 64,
      .workgroup_size = {64, 1, 1},
      .entry_point = "main",
      .spirv = module->words,
      .spirv_size = module->size,
      .location_count = 1,
   };
   uint32_t entry = find_opcode(module, SpvOpFunction, 0, 0);
   add_function(&test, module, entry, find_opcode(module, SpvOpFunction, 1, 0), 0);
   test.shader.exec_size = test.shader.code_size = 4 * test.shader.pc_location_count;
   test.shader.locations = test.locations;
   test.shader.pc_locations = test.pcs;
   test.shader.code = test.code;
   return test;
}

static inline void
free_shader(struct test_shader *test)
{
   free(test->locations);
   free(test->pcs);
   free(test->code);
}

#endif
