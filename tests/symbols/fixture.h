/* SPDX-License-Identifier: MIT */
/* Test helpers: a shader with symbols. */
#ifndef TEST_SYMBOLS_FIXTURE_H
#define TEST_SYMBOLS_FIXTURE_H

#include "module.h"
#include "symbols/symbols.h"

struct fixture {
   struct test_module module;
   struct test_shader test;
   struct hdb_symbols *symbols;
};

/* In place: the symbols keep pointing at the shader. */
static inline void
init_fixture(struct fixture *fixture, const char *directory, const char *name, uint32_t flags)
{
   char *error;
   fixture->module = load_module(directory, name);
   fixture->test = make_shader(&fixture->module);
   fixture->test.shader.flags = flags;
   assert_int_equal(hdb_symbols_create(&fixture->test.shader, &fixture->symbols, &error), 0);
   assert_null(error);
}

static inline void
free_fixture(struct fixture *fixture)
{
   hdb_symbols_destroy(fixture->symbols);
   free_shader(&fixture->test);
   free(fixture->module.words);
}

/* The pc of the instruction at an offset of the module. */
static inline uint32_t
pc_of(const struct fixture *fixture, uint32_t offset)
{
   for (uint32_t i = 0; i < fixture->test.shader.pc_location_count; i++) {
      if (fixture->test.locations[fixture->test.pcs[i].location].spirv_offset == offset)
         return fixture->test.pcs[i].pc;
   }
   fail_msg("offset %u: not in the code", offset);
   return 0;
}

/* The pc of the n-th instruction of an opcode. */
static inline uint32_t
find_pc(const struct fixture *fixture, uint32_t opcode, unsigned n)
{
   return pc_of(fixture, find_opcode(&fixture->module, opcode, n, 0));
}

#endif
