/* SPDX-License-Identifier: MIT */
/*
 * Shaders compiled for debugging compute what the optimised ones compute, on the virtual GPU, and every line of the
 * source that does something begins with a pad for a breakpoint; what it stores to variables, it stores before the
 * next.
 *
 * usage: debug SHADER.spv...   (with results that don't depend on how floats are rounded)
 */
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"
#include "module.h"
#include "run.h"
#include "table.h"

#define S_NOP 0xbf800000u
#define S_SENDMSG_DEALLOC_VGPRS 0xbfb60003u

#define MAX_LINES 1024

static uint32_t failures, pads;

static void
complain(const char *what, const char *path, uint32_t value)
{
   printf("%s: %s: %u\n", path, what, value);
   failures++;
}

static bool
is_observable(uint32_t op)
{
   return op == OP_STORE || op == OP_CONTROL_BARRIER || op == OP_FUNCTION_CALL ||
          (op >= OP_ATOMIC_FIRST && op <= OP_ATOMIC_LAST);
}

/* RDNA3 ISA guide, chapter 15.9: encoding, segment, opcodes SCRATCH_STORE_B8 to SCRATCH_STORE_B128 */
static bool
is_scratch_store(uint32_t word)
{
   const uint32_t op = word >> 18 & 0x7f;
   return word >> 26 == 0x37 && (word >> 16 & 3) == 1 && op >= 24 && op <= 29;
}

/* Chapter 15.1.5: SOPP, S_BRANCH to S_CBRANCH_EXECNZ */
static bool
is_branch(uint32_t word)
{
   return word >> 23 == 0x17f && (word >> 16 & 0x7f) >= 32 && (word >> 16 & 0x7f) <= 38;
}

static void
check_pads(const char *path, struct driver *driver, const struct spirv *spirv, uint32_t wave_size)
{
   struct module module = module_read(spirv);
   struct cache cache = {0};
   struct table table = table_compile(driver, spirv, HDB_DRIVER_COMPILE_DEBUG, wave_size, &cache);
   bool begins[MAX_LINES] = {false};
   uint32_t statement = 0, last_statement = 0; /* lines; 0: control flow came between */

   if (!(table.flags & HDB_SHADER_DEBUG_COMPILED))
      complain("not flagged", path, table.flags);

   for (uint32_t i = 0; i < table.pc_location_count; i++) {
      const struct hdb_pc_location *at = &table.pc_locations[i];
      const uint32_t word = table.code[at->pc / 4];
      if (word == S_SENDMSG_DEALLOC_VGPRS)
         complain("releases its VGPRs", path, at->pc);
      const uint32_t line = module_line_at(&module, table.locations[at->location].spirv_offset);
      if (is_scratch_store(word) && line != statement && line == last_statement)
         complain("a variable is stored in another statement", path, at->pc);
      if (is_branch(word))
         statement = 0;
      if (word != (S_NOP | HDB_STATEMENT_PAD))
         continue;

      last_statement = statement;
      statement = line;
      if (line == 0 || line >= MAX_LINES)
         complain("pad without a line", path, at->pc);
      else
         begins[line] = true;
      pads++;
   }
   if (table.code[0] != (S_NOP | HDB_STATEMENT_PAD))
      complain("something is before the first statement", path, table.code[0]);

   for (uint32_t offset = 0; offset < spirv->size; offset += 4) {
      const uint32_t line = module_line_at(&module, offset);
      if (is_observable(module_op_at(&module, offset)) && line < MAX_LINES && !begins[line])
         complain("no pad on line", path, line);
   }

   table_free(&table);
   free(cache.data);
   module_free(&module);
}

static void
check_results(const char *path, struct driver *driver, const struct spirv *spirv, uint32_t wave_size)
{
   static struct run_result optimised, debug;
   uint32_t written = 0;

   run_shader(driver, spirv, 0, wave_size, &optimised);
   run_shader(driver, spirv, HDB_DRIVER_COMPILE_DEBUG, wave_size, &debug);

   for (uint32_t i = 0; i < RUN_WORDS; i++) {
      written += debug.words[i] != run_initial_word(i);
      if (debug.words[i] != optimised.words[i]) {
         printf("%s, wave%u: buffer %u, word %u: %08x, optimised %08x\n", path, wave_size, i / RUN_BUFFER_WORDS,
                i % RUN_BUFFER_WORDS, debug.words[i], optimised.words[i]);
         failures++;
         break;
      }
   }
   if (written == 0)
      complain("nothing was written, wave size", path, wave_size);
}

int
main(int argc, char **argv)
{
   if (!driver_fork_path()) {
      printf("needs the fork\n");
      return 77;
   }
   setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
   setenv("HDB_GPU", "virtual", 1);

   struct driver driver;
   driver_open(&driver, driver_fork_path());
   for (int i = 1; i < argc; i++) {
      struct spirv spirv = spirv_load(argv[i]);
      for (uint32_t wave_size = 32; wave_size <= 64; wave_size += 32) {
         check_pads(argv[i], &driver, &spirv, wave_size);
         check_results(argv[i], &driver, &spirv, wave_size);
      }
      spirv_free(&spirv);
   }
   driver_close(&driver);

   printf("%u pads, %u failures\n", pads, failures);
   return failures > 0 || pads == 0;
}
