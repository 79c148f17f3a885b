/* SPDX-License-Identifier: MIT */
/*
 * Every machine instruction knows the SPIR-V instruction that it stems from, optimised or compiled for debugging: the
 * table is complete, its places exist, memory instructions lead to the loads and stores of the source, and a pipeline
 * cache gives the same table back.
 *
 * usage: locations SHADER.spv...
 */
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"
#include "module.h"
#include "table.h"

/* What an instruction does to memory, by its encoding: RDNA3 ISA guide, chapters 15.1.5 (SOPP), 15.6 (DS), 15.7
 * (MUBUF), 15.9 (FLAT, GLOBAL); opcodes in chapter 16. */
enum access { OTHER, LOAD, STORE, ATOMIC, BARRIER };

static enum access
classify_vmem(uint32_t op)
{
   if ((op >= 16 && op <= 23) || (op >= 30 && op <= 35))
      return LOAD;
   if ((op >= 24 && op <= 29) || op == 36 || op == 37)
      return STORE;
   return op >= 51 ? ATOMIC : OTHER;
}

static enum access
classify_ds(uint32_t op)
{
   switch (op) {
   case 54 ... 60:
   case 118 ... 120:
   case 162 ... 167:
   case 254:
   case 255:
      return LOAD;
   case 13 ... 15:
   case 30:
   case 31:
   case 77 ... 79:
   case 160:
   case 161:
   case 222:
   case 223:
      return STORE;
   case 0 ... 12:
   case 32 ... 44:
   case 48:
      return ATOMIC;
   default:
      return OTHER;
   }
}

static enum access
classify(uint32_t word)
{
   if (word == 0xbfbd0000) /* s_barrier */
      return BARRIER;
   switch (word >> 26) {
   case 0x38:
      return classify_vmem(word >> 18 & 0xff);
   case 0x36:
      return classify_ds(word >> 18 & 0xff);
   case 0x37: /* not scratch: spills stem from anything */
      return (word >> 16 & 3) == 1 ? OTHER : classify_vmem(word >> 18 & 0x7f);
   default:
      return OTHER;
   }
}

static bool
may_stem_from(enum access access, uint32_t op)
{
   switch (access) {
   case LOAD:
      return op == OP_LOAD || op == OP_COPY_MEMORY;
   case STORE:
      return op == OP_STORE || op == OP_COPY_MEMORY;
   case ATOMIC:
      return op >= OP_ATOMIC_FIRST && op <= OP_ATOMIC_LAST;
   case BARRIER:
      return op == OP_CONTROL_BARRIER;
   default:
      return true;
   }
}

static uint32_t failures, instructions, classified;

static void
complain(const char *what, const char *path, uint32_t pc, uint32_t value)
{
   printf("%s: %s: pc %u: %u\n", path, what, pc, value);
   failures++;
}

static void
check_place(const char *path, const struct table *table, const struct module *module, uint32_t pc, uint32_t location)
{
   for (bool called = false; location; called = true) {
      if (location >= table->location_count) {
         complain("no such location", path, pc, location);
         return;
      }
      const struct hdb_location *place = &table->locations[location];
      const uint32_t op = module_op_at(module, place->spirv_offset);
      if (op == OP_NONE || (called && op != OP_FUNCTION_CALL))
         complain("not the place of an instruction or call", path, pc, place->spirv_offset);
      if (place->inlined_at >= location) {
         complain("inlined into a later place", path, pc, location);
         return;
      }
      location = place->inlined_at;
   }
}

static void
check_table(const char *path, const struct table *table, const struct module *module)
{
   if (table->pc_location_count == 0 || table->pc_locations[0].pc != 0)
      complain("the table does not begin with the first instruction", path, 0, table->pc_location_count);

   for (uint32_t i = 0; i < table->pc_location_count; i++) {
      const struct hdb_pc_location *at = &table->pc_locations[i];
      if (at->pc % 4 || at->pc >= table->exec_size || (i > 0 && at->pc <= at[-1].pc)) {
         complain("pc out of order", path, at->pc, i);
         return;
      }
      if (!at->location)
         complain("unknown location", path, at->pc, table->code[at->pc / 4]);
      check_place(path, table, module, at->pc, at->location);
      check_place(path, table, module, at->pc, at->location_y);

      const enum access access = classify(table->code[at->pc / 4]);
      const uint32_t op = module_op_at(module, table->locations[at->location].spirv_offset);
      if (!may_stem_from(access, op))
         complain("memory instruction stems from SPIR-V opcode", path, at->pc, op);
      instructions++;
      classified += access != OTHER;
   }
}

static void
check_shader(struct driver *driver, const char *path, uint32_t flags, uint32_t wave_size)
{
   struct spirv spirv = spirv_load(path);
   struct module module = module_read(&spirv);
   struct cache cache = {0};

   struct table compiled = table_compile(driver, &spirv, flags, wave_size, &cache);
   check_table(path, &compiled, &module);

   struct table cached = table_compile(driver, &spirv, flags, wave_size, &cache);
   if (!table_equal(&compiled, &cached))
      complain("the cache gives another table", path, 0, cached.pc_location_count);

   table_free(&compiled);
   table_free(&cached);
   free(cache.data);
   module_free(&module);
   spirv_free(&spirv);
}

int
main(int argc, char **argv)
{
   if (!table_check_shaders(argc - 1, argv + 1, check_shader))
      return 77;
   printf("%u instructions, %u of them memory accesses and barriers, %u failures\n", instructions, classified,
          failures);
   return failures > 0 || classified == 0;
}
