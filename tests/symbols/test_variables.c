/* SPDX-License-Identifier: MIT */
/* Which variables are in scope, and which definition of them counts where: by glslang's modules, whose scopes the
 * source corrects, and by a hand-written one with the scopes of other compilers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "variables.h"

static const char *directory;

static uint32_t
pc_of_line(const struct fixture *fixture, uint32_t line)
{
   char name[] = "scopes.comp";
   uint32_t pcs[8], actual;
   assert_true(hdb_symbols_find_line(fixture->symbols, name, line, pcs, 8, &actual) > 0);
   assert_int_equal(actual, line);
   return pcs[0];
}

/* ---- scopes ---- */

/* Which `i` is meant: the lines that declare it. */
static void
check_scopes(const char *name)
{
   static const struct {
      uint32_t line, i, y, t; /* lines of the declarations; 0: not in scope */
   } expected[] = {
      {9, 9, 8, 0}, {10, 9, 8, 0}, {11, 7, 8, 0}, {13, 12, 8, 0}, {15, 15, 8, 0}, {17, 15, 8, 16}, {20, 7, 8, 0},
   };
   struct fixture fixture;
   init_fixture(&fixture, directory, name, HDB_SHADER_DEBUG_COMPILED);
   for (size_t k = 0; k < sizeof(expected) / sizeof(expected[0]); k++) {
      uint32_t pc = pc_of_line(&fixture, expected[k].line);
      const struct hdb_symbol *i = find_local(&fixture, pc, 0, "i"), *t = find_symbol(&fixture, pc, 0, "t");
      if (i->declared.line != expected[k].i)
         fail_msg("%s: on line %u, i is that of line %u", name, expected[k].line, i->declared.line);
      assert_int_equal(find_local(&fixture, pc, 0, "y")->declared.line, expected[k].y);
      assert_int_equal(t ? t->declared.line : 0, expected[k].t);
      assert_non_null(find_symbol(&fixture, pc, 0, "B"));
      assert_null(find_symbol(&fixture, pc, 0, "param")); /* glslang's own */
   }
   /* In a call: its own, and those of the caller. */
   uint32_t pc = pc_of_line(&fixture, 4);
   const struct hdb_symbol *parameter = find_local(&fixture, pc, 0, "i");
   assert_int_equal(parameter->storage, HDB_STORAGE_PARAMETER);
   assert_string_equal(parameter->type->name, "float");
   assert_null(find_symbol(&fixture, pc, 0, "t"));
   assert_int_equal(find_local(&fixture, pc, 1, "i")->declared.line, 15);
   assert_int_equal(find_local(&fixture, pc, 1, "t")->declared.line, 16);
   free_fixture(&fixture);
}

static void
test_scopes(void **state)
{
   check_scopes("scopes.gVS.spv");
   check_scopes("scopes.g.spv");
}

/* Without lines, all that a function has; without names, ids. */
static void
test_without_debug_information(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "calls.g0.spv", 0);
   const struct hdb_symbol *list[MAX_VARIABLES];
   size_t count = hdb_symbols_variables(fixture.symbols, 0, 0, list, MAX_VARIABLES), locals = 0;
   assert_true(count <= MAX_VARIABLES);
   for (size_t i = 0; i < count; i++) {
      locals += list[i]->scope != 0;
      assert_int_equal(list[i]->scope, i < 4);     /* i, acc, k and glslang's param, then the globals */
      if (list[i]->storage != HDB_STORAGE_BUILTIN) /* the workgroup's size */
         assert_int_equal(list[i]->name[0], '%');
   }
   assert_int_equal(locals, 4);
   free_fixture(&fixture);

   struct hdb_shader none = {.exec_size = 64};
   struct hdb_symbols *symbols;
   char *error;
   assert_int_equal(hdb_symbols_create(&none, &symbols, &error), 0);
   assert_int_equal(hdb_symbols_variables(symbols, 0, 0, list, MAX_VARIABLES), 0);
   assert_null(hdb_symbols_type(symbols, 0));
   assert_non_null(hdb_symbols_find_type(symbols, "float", HDB_LAYOUT_NATURAL));
   hdb_symbols_destroy(symbols);
}

/* ---- debug information of other compilers ---- */

/* The value of a float or an int of four bytes, scalar by scalar; false: optimised out. */
static bool
is_known(const struct fixture *fixture, uint32_t pc, uint32_t frame, const char *name, uint32_t offset, void *value)
{
   struct hdb_piece pieces[8];
   size_t count = hdb_symbols_locate(fixture->symbols, pc, frame, find_local(fixture, pc, frame, name), pieces, 8);
   assert_in_range(count, 1, 8);
   for (size_t i = 0; i < count; i++) {
      if (offset < pieces[i].offset || offset >= pieces[i].offset + pieces[i].size)
         continue;
      if (pieces[i].kind == HDB_PIECE_UNAVAILABLE) {
         assert_string_equal(pieces[i].why, "optimized out");
         return false;
      }
      assert_int_equal(pieces[i].kind, HDB_PIECE_BYTES);
      memcpy(value, pieces[i].bytes, 4);
      return true;
   }
   fail_msg("%s has no piece at %u", name, offset);
   return false;
}

static float
value_of(const struct fixture *fixture, uint32_t pc, uint32_t frame, const char *name, uint32_t offset)
{
   float value = 0;
   if (!is_known(fixture, pc, frame, name, offset, &value))
      fail_msg("pc %u: %s at %u is optimised out", pc, name, offset);
   return value;
}

static void
assert_unknown(const struct fixture *fixture, uint32_t pc, uint32_t frame, const char *name, uint32_t offset)
{
   float value;
   if (is_known(fixture, pc, frame, name, offset, &value))
      fail_msg("pc %u: %s at %u is %f, though nothing says so", pc, name, offset, value);
}

enum place { /* the OpCopyObjects of debug.spvasm */
             INSIDE,
             NESTED,
             TWIN,
             CALLED,
             CALLED_AGAIN
};

static void
test_lexical_blocks(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "debug.spv", 0);
   uint32_t inside = find_pc(&fixture, SpvOpCopyObject, INSIDE), nested = find_pc(&fixture, SpvOpCopyObject, NESTED);
   uint32_t twin = find_pc(&fixture, SpvOpCopyObject, TWIN);
   assert_int_equal(find_local(&fixture, inside, 0, "a")->declared.line, 11);
   assert_int_equal(find_local(&fixture, nested, 0, "a")->declared.line, 12);
   assert_int_equal(find_local(&fixture, twin, 0, "a")->declared.line, 11);
   assert_true(find_local(&fixture, nested, 0, "a")->scope > find_local(&fixture, inside, 0, "a")->scope);
   assert_null(find_symbol(&fixture, nested, 0, "b"));
   assert_non_null(find_symbol(&fixture, twin, 0, "b"));

   /* Both are in scope; the inner one comes first. */
   const struct hdb_symbol *list[MAX_VARIABLES];
   size_t count = hdb_symbols_variables(fixture.symbols, nested, 0, list, MAX_VARIABLES), seen = 0;
   for (size_t i = 0; i < count && i < MAX_VARIABLES; i++)
      seen += strcmp(list[i]->name, "a") == 0;
   assert_int_equal(seen, 2);
   for (size_t i = 1; i < count && i < MAX_VARIABLES; i++)
      assert_true(list[i]->scope <= list[i - 1]->scope);
   free_fixture(&fixture);
}

static void
test_inlined_variables(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "debug.spv", 0);
   uint32_t called = find_pc(&fixture, SpvOpCopyObject, CALLED);
   uint32_t again = find_pc(&fixture, SpvOpCopyObject, CALLED_AGAIN);
   assert_int_equal(find_local(&fixture, called, 0, "x")->storage, HDB_STORAGE_PARAMETER);
   assert_true(value_of(&fixture, called, 0, "x", 0) == 6.0f);
   assert_null(find_symbol(&fixture, called, 0, "a"));
   assert_null(find_symbol(&fixture, called, 1, "x"));
   assert_true(value_of(&fixture, called, 1, "a", 0) == 1.0f);
   assert_null(find_symbol(&fixture, again, 0, "x")); /* another call */
   free_fixture(&fixture);
}

static void
test_debug_values(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "debug.spv", 0);
   uint32_t inside = find_pc(&fixture, SpvOpCopyObject, INSIDE), nested = find_pc(&fixture, SpvOpCopyObject, NESTED);
   uint32_t twin = find_pc(&fixture, SpvOpCopyObject, TWIN);

   assert_true(value_of(&fixture, inside, 0, "a", 0) == 1.0f);
   assert_true(value_of(&fixture, nested, 0, "a", 0) == 2.0f);
   assert_true(value_of(&fixture, twin, 0, "a", 0) == 1.0f);
   /* A whole, then an expression that is not understood, then a component by its index. */
   assert_true(value_of(&fixture, inside, 0, "pair", 0) == 1.0f);
   assert_true(value_of(&fixture, inside, 0, "pair", 4) == 2.0f);
   assert_unknown(&fixture, nested, 0, "pair", 0);
   assert_unknown(&fixture, nested, 0, "pair", 4);
   assert_unknown(&fixture, twin, 0, "pair", 0);
   assert_true(value_of(&fixture, twin, 0, "pair", 4) == 4.0f);
   /* A component, then a fragment of 32 bits at bit 32. */
   assert_true(value_of(&fixture, inside, 0, "v", 0) == 3.0f);
   assert_unknown(&fixture, inside, 0, "v", 4);
   assert_true(value_of(&fixture, twin, 0, "v", 0) == 3.0f);
   assert_true(value_of(&fixture, twin, 0, "v", 4) == 4.0f);
   assert_string_equal(find_local(&fixture, inside, 0, "v")->type->name, "float2"); /* by the debug information alone */
   /* Through a pointer: what was stored there. */
   assert_true(value_of(&fixture, twin, 0, "scale", 0) == 7.0f);
   assert_unknown(&fixture, twin, 0, "object", 0);
   free_fixture(&fixture);
}

static void
test_debug_types(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "debug.spv", 0);
   uint32_t pc = find_pc(&fixture, SpvOpCopyObject, TWIN);
   const struct hdb_type *object = find_local(&fixture, pc, 0, "object")->type;
   assert_string_equal(object->name, "Derived");
   assert_int_equal(object->member_count, 2);
   assert_string_equal(object->members[0].name, "Base");
   assert_string_equal(object->members[0].type->name, "Base");
   assert_string_equal(object->members[0].type->members[0].name, "a");
   const struct hdb_type *mode = object->members[1].type;
   assert_string_equal(object->members[1].name, "mode");
   assert_int_equal(object->members[1].offset, 4);
   assert_string_equal(mode->name, "Mode");
   assert_int_equal(mode->kind, HDB_TYPE_INT);
   assert_int_equal(mode->enumerator_count, 2);
   assert_string_equal(mode->enumerators[1].name, "On");
   assert_int_equal(mode->enumerators[1].value, 5);
   const struct hdb_type *scale = find_local(&fixture, pc, 0, "scale")->type;
   assert_string_equal(scale->name, "Scale");
   assert_int_equal(scale->kind, HDB_TYPE_FLOAT);
   assert_ptr_equal(hdb_symbols_find_type(fixture.symbols, "Derived", HDB_LAYOUT_NATURAL), object);
   assert_int_equal(hdb_symbols_language(fixture.symbols), HDB_LANGUAGE_HLSL);

   static const char *const named[] = {"Derived", "Base", "Mode", "Scale"};
   const struct hdb_type *type;
   unsigned found = 0;
   for (size_t i = 0; (type = hdb_symbols_type(fixture.symbols, i)); i++) {
      for (size_t n = 0; n < 4; n++)
         found |= (strcmp(type->name, named[n]) == 0) << n;
      assert_string_not_equal(type->name, "float");
   }
   assert_int_equal(found, 0xf);

   const struct hdb_symbol *pi = find_global(&fixture, "PI");
   assert_int_equal(pi->storage, HDB_STORAGE_CONSTANT);
   assert_int_equal(pi->constant_id, UINT32_MAX);
   free_fixture(&fixture);
}

/* What no version of the instructions has is passed over, and counted. */
static void
test_unknown_instructions(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "calls.gVS.spv", 0);
   assert_int_equal(hdb_symbols_unknown_debug_instructions(fixture.symbols), 0);
   hdb_symbols_destroy(fixture.symbols);
   uint32_t changed = 0, offset = 0;
   for (unsigned n = 0; (offset = find_opcode(&fixture.module, SpvOpExtInst, n, 0)); n++) {
      if (fixture.module.words[offset / 4 + 4] == 26) { /* DebugLocalVariable */
         fixture.module.words[offset / 4 + 4] = 900;
         changed++;
      }
   }
   char *error;
   assert_int_equal(changed, 5);
   assert_int_equal(hdb_symbols_create(&fixture.test.shader, &fixture.symbols, &error), 0);
   assert_int_equal(hdb_symbols_unknown_debug_instructions(fixture.symbols), changed);
   assert_null(find_symbol(&fixture, find_pc(&fixture, SpvOpFMul, 0), 0, "acc"));
   free_fixture(&fixture);
}

/* ---- reaching definitions ---- */

/* In scopes.comp, constants are stored, so that the answer shows which store was taken. */
static void
test_reaching(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "scopes.gVS.spv", 0);
   int32_t value = 0;
   uint32_t loop = pc_of_line(&fixture, 10), inner = pc_of_line(&fixture, 13), end = pc_of_line(&fixture, 20);
   assert_unknown(&fixture, loop, 0, "i", 0); /* of the start, or of the last round */
   assert_true(is_known(&fixture, inner, 0, "i", 0, &value));
   assert_int_equal(value, 9);
   assert_true(is_known(&fixture, end, 0, "i", 0, &value)); /* the outer one, behind all the loops */
   assert_int_equal(value, 7);
   assert_unknown(&fixture, end, 0, "y", 0); /* set in one arm */
   free_fixture(&fixture);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scopes),         cmocka_unit_test(test_without_debug_information),
      cmocka_unit_test(test_lexical_blocks), cmocka_unit_test(test_inlined_variables),
      cmocka_unit_test(test_debug_values),   cmocka_unit_test(test_debug_types),
      cmocka_unit_test(test_reaching),       cmocka_unit_test(test_unknown_instructions),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
