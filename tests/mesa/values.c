/* SPDX-License-Identifier: MIT */
/*
 * Where the fork says that values are: what a store writes to memory is, just before it, in the register that the store
 * reads; what a load of memory has fetched is, after it, in the register that it writes. Registers are read from the
 * machine code, and which value it is from the SPIR-V.
 *
 * usage: values SHADER.spv...
 */
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"
#include "module.h"
#include "table.h"

static uint32_t right, missing, failures, values;

static void
complain(const char *what, const char *path, uint32_t pc, uint32_t value)
{
   printf("%s: %s: pc %u: %u\n", path, what, pc, value);
   failures++;
}

/* A memory instruction of whole dwords. RDNA3 ISA guide, chapters 15.7 (MUBUF) and 15.9 (GLOBAL); opcodes in chapter
 * 16: 20 to 23 load, 26 to 29 store 1, 2, 3, 4 dwords (in this order but for the 96-bit load, 22, and store, 28). */
struct access {
   bool is_load, is_store;
   uint32_t dwords, vgpr;
};

static struct access
decode(const uint32_t *words)
{
   const uint32_t encoding = words[0] >> 26;
   struct access access = {0};
   uint32_t op;

   if (encoding == 0x38) {
      op = words[0] >> 18 & 0xff;
      access.vgpr = words[1] >> 8 & 0xff;
   } else if (encoding == 0x37 && (words[0] >> 16 & 3) == 2) {
      op = words[0] >> 18 & 0x7f;
      access.vgpr = op >= 24 ? words[1] >> 8 & 0xff : words[1] >> 24;
   } else {
      return access;
   }
   access.is_load = op >= 20 && op <= 23;
   access.is_store = op >= 26 && op <= 29;
   access.dwords = access.is_load ? op - 19 : op - 25;
   return access;
}

/* Whether a pointer of this id, to a variable or into it, is one of the function's own variables. */
static bool
is_local(const struct spirv *spirv, const struct module *module, uint32_t id)
{
   uint32_t type = 0;
   for (uint32_t i = 5; i < module->word_count; i += spirv->words[i] >> 16) {
      const uint32_t *words = spirv->words + i, op = words[0] & 0xffff;
      if ((op == 59 || op == 65 || op == 66) && words[2] == id) /* OpVariable, OpAccessChain, OpInBoundsAccessChain */
         type = words[1];
   }
   for (uint32_t i = 5; i < module->word_count; i += spirv->words[i] >> 16) {
      const uint32_t *words = spirv->words + i, op = words[0] & 0xffff;
      if (op == 32 && words[1] == type) /* OpTypePointer */
         return words[2] == 7;          /* Function */
   }
   return false;
}

/* Offset in the module of the instruction whose result this id is; 0: it is none with a type and a result of its own,
 * but one that hands on other results (op 79 to 83: composites and copies) or what was stored to a local variable.
 */
static uint32_t
find_result(const struct spirv *spirv, const struct module *module, uint32_t id)
{
   for (uint32_t i = 5; i < module->word_count; i += spirv->words[i] >> 16) {
      const uint32_t op = module->ops[i];
      const bool has_result = (op == OP_LOAD && !is_local(spirv, module, spirv->words[i + 3])) || op == OP_EXT_INST ||
                              op == 77 || op == 78 || op == 84 || (op >= 109 && op <= 205 && op != OP_NONE);
      if (has_result && spirv->words[i + 2] == id)
         return i * 4;
   }
   return 0;
}

static uint32_t
find_location(const struct table *table, uint32_t spirv_offset, uint32_t inlined_at)
{
   for (uint32_t i = 1; i < table->location_count; i++) {
      if (table->locations[i].spirv_offset == spirv_offset && table->locations[i].inlined_at == inlined_at)
         return i;
   }
   return 0;
}

/* A component of a result is in this register when a wave stops at this pc. */
static void
check_register(const char *path, const struct table *table, uint32_t pc, uint32_t location, uint32_t component,
               uint32_t vgpr)
{
   bool is_there = false, is_elsewhere = false;

   for (uint32_t i = 0; i < table->value_count; i++) {
      const struct hdb_value *value = &table->values[i];
      if (value->location != location || value->merge || value->component != component || pc < value->low ||
          pc >= value->high || value->kind != HDB_VALUE_VGPR)
         continue;
      is_there |= value->where == vgpr && value->byte == 0 && value->bits == 32;
      is_elsewhere |= value->where != vgpr;
   }
   if (is_there)
      right++;
   else if (is_elsewhere)
      complain("the value is in another register", path, pc, vgpr);
   else
      missing++;
}

/* How many components of 32 bits the value of a type has; 0: another type. */
static uint32_t
count_components(const struct spirv *spirv, uint32_t type)
{
   for (uint32_t i = 5; i < spirv->size / 4; i += spirv->words[i] >> 16) {
      const uint32_t op = spirv->words[i] & 0xffff;
      if (op < 21 || op > 23 || spirv->words[i + 1] != type)
         continue;
      if (op == 23) /* OpTypeVector */
         return count_components(spirv, spirv->words[i + 2]) * spirv->words[i + 3];
      return spirv->words[i + 2] == 32;
   }
   return 0;
}

static void
check_access(const char *path, const struct table *table, const struct spirv *spirv, const struct module *module,
             const struct hdb_pc_location *at)
{
   const struct access access = decode(table->code + at->pc / 4);
   const struct hdb_location *place = &table->locations[at->location];
   const uint32_t op = module_op_at(module, place->spirv_offset);
   const uint32_t *words = spirv->words + place->spirv_offset / 4;

   uint32_t result = 0, pc = at->pc;
   if (access.is_store && op == OP_STORE) {
      result = find_result(spirv, module, words[2]);
   } else if (access.is_load && op == OP_LOAD) {
      result = place->spirv_offset;
      pc += 8;
   }

   /* What was merged with other accesses is left out. */
   if (!result || count_components(spirv, spirv->words[result / 4 + 1]) != access.dwords)
      return;

   const uint32_t location = find_location(table, result, place->inlined_at);
   for (uint32_t i = 0; location && i < access.dwords; i++)
      check_register(path, table, pc, location, i, access.vgpr + i);
}

static int
compare(const struct hdb_value *a, const struct hdb_value *b)
{
   if (a->location != b->location)
      return a->location < b->location ? -1 : 1;
   if (a->merge != b->merge)
      return a->merge < b->merge ? -1 : 1;
   if (a->component != b->component)
      return a->component < b->component ? -1 : 1;
   return a->low < b->low ? -1 : a->low > b->low;
}

static void
check_order(const char *path, const struct table *table)
{
   for (uint32_t i = 0; i < table->value_count; i++) {
      const struct hdb_value *value = &table->values[i];
      if (value->low >= value->high || value->high > table->exec_size || value->location == 0 ||
          value->location >= table->location_count || value->merge >= table->location_count ||
          value->kind > HDB_VALUE_VGPR_LANE)
         complain("a malformed value", path, value->low, i);
      if (i > 0 && compare(value - 1, value) > 0)
         complain("values out of order", path, value->low, i);
   }
   values += table->value_count;
}

static void
check_shader(struct driver *driver, const char *path, uint32_t flags, uint32_t wave_size)
{
   struct spirv spirv = spirv_load(path);
   struct module module = module_read(&spirv);
   struct cache cache = {0};
   struct table table = table_compile(driver, &spirv, flags, wave_size, &cache);

   check_order(path, &table);
   for (uint32_t i = 0; i < table.pc_location_count; i++)
      check_access(path, &table, &spirv, &module, &table.pc_locations[i]);

   table_free(&table);
   free(cache.data);
   module_free(&module);
   spirv_free(&spirv);
}

int
main(int argc, char **argv)
{
   if (!table_check_shaders(argc - 1, argv + 1, check_shader))
      return 77;
   printf("%u values; loaded and stored: %u where they belong, %u not known; %u failures\n", values, right, missing,
          failures);
   return failures > 0 || right < 9 * missing || right == 0;
}
