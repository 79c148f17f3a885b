/* SPDX-License-Identifier: MIT */
/* Where variables are, by tables as a driver makes them: in scratch, or where the definition that counts has its value.
 * What is right was read off values.comp. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tables.h"

static const char *directory;

/* ---- in memory ---- */

static void
test_scratch(void **state)
{
   struct tables tables;
   begin(&tables, directory, "values.gVS.spv", "values.comp");
   put_in_scratch(&tables, "acc", 0, 0, 16);
   put_in_scratch(&tables, "pair", 0, 0, 20);
   put_in_scratch(&tables, "copy", 0, 0, 32);
   put_in_scratch(&tables, "param", 0, 0, 48);
   put_in_scratch(&tables, "param", 1, 0, 52);
   put_in_scratch(&tables, "total", 0, 0, 100);
   finish(&tables);
   uint32_t call = pc_of_line(&tables, 26), inside = pc_of_line(&tables, 11);

   struct hdb_piece piece = locate(&tables, call, 0, "pair", 0);
   assert_int_equal(piece.kind, HDB_PIECE_SCRATCH);
   assert_int_equal(piece.size, 12);
   assert_int_equal(piece.where, 20);
   assert_place(&tables, call, 0, "acc", 0, HDB_PIECE_SCRATCH, 16);
   assert_unavailable(&tables, call, "k", 0);

   /* In the call: pointers to the caller's, and a value that was loaded from one. */
   assert_place(&tables, inside, 0, "x", 0, HDB_PIECE_SCRATCH, 48);
   assert_place(&tables, inside, 0, "p", 8, HDB_PIECE_SCRATCH, 52);
   assert_place(&tables, inside, 0, "weight", 0, HDB_PIECE_SCRATCH, 16);
   assert_place(&tables, inside, 1, "acc", 0, HDB_PIECE_SCRATCH, 16);
   piece = locate_symbol(&tables, inside, 0, find_global(&tables.fixture, "total"), 0);
   assert_int_equal(piece.kind, HDB_PIECE_SCRATCH);
   assert_int_equal(piece.where, 100);
   free_tables(&tables);
}

/* The same variable of two inlined calls: told by the call. */
static void
test_calls(void **state)
{
   struct tables tables;
   begin(&tables, directory, "calls.gVS.spv", "calls.comp");
   uint32_t call = location_of(&tables, find_opcode(&tables.fixture.module, SpvOpFunctionCall, 0, 0));
   uint32_t other = add_location(&tables, find_opcode(&tables.fixture.module, SpvOpFMul, 0, 0), 0);
   put_in_scratch(&tables, "y", 0, other, 4);
   put_in_scratch(&tables, "y", 0, 0, 8);
   put_in_scratch(&tables, "y", 0, call, 12);
   finish(&tables);
   uint32_t pc = find_pc(&tables.fixture, SpvOpFSub, 0);
   assert_place(&tables, pc, 0, "y", 0, HDB_PIECE_SCRATCH, 12);
   free_tables(&tables);
}

static void
test_workgroup_variables(void **state)
{
   struct tables tables;
   begin(&tables, directory, "types.gVS.spv", "types.comp");
   uint32_t location = add_location(&tables, variable_named(&tables.fixture.module, "tile", 0), 0);
   tables.variables[tables.fixture.test.shader.variable_count++] =
      (struct hdb_variable){HDB_VARIABLE_LDS, location, 256};
   finish(&tables);
   assert_int_equal(find_global(&tables.fixture, "tile")->workgroup_offset, 256);
   assert_int_equal(find_global(&tables.fixture, "u140")->workgroup_offset, HDB_NO_OFFSET);
   free_tables(&tables);
}

static void
test_specialization(void **state)
{
   struct tables tables;
   begin(&tables, directory, "types.gVS.spv", "types.comp");
   tables.specialization = (struct hdb_specialization){.constant_id = 1, .size = 4, .value = 3};
   tables.fixture.test.shader.specialization_count = 1;
   finish(&tables);
   assert_int_equal(find_global(&tables.fixture, "tile")->type->count, 7); /* COUNT * 2 + 1 */
   struct hdb_piece piece = locate_symbol(&tables, 0, 0, find_global(&tables.fixture, "COUNT"), 0);
   assert_int_equal(piece.bytes[0], 3);
   piece = locate_symbol(&tables, 0, 0, find_global(&tables.fixture, "FLAG"), 0);
   assert_int_equal(piece.bytes[0], 1);
   free_tables(&tables);
}

/* ---- in registers ---- */

enum { /* what values.comp loads from v, in the order of the module */
       LOAD_ACC = 2,
       LOAD_LOW = 4,
};

static void
begin_values(struct tables *tables)
{
   begin(tables, directory, "values.gVS.spv", "values.comp");
   put_result(tables, SpvOpLoad, LOAD_ACC, HDB_VALUE_VGPR, 5);
   put_result(tables, SpvOpLoad, LOAD_LOW, HDB_VALUE_VGPR, 6);
}

/* Through copies of wholes and parts, to what was loaded in the first place. */
static void
test_copies(void **state)
{
   struct tables tables;
   begin_values(&tables);
   finish(&tables);
   uint32_t before = pc_of_line(&tables, 20), copied = pc_of_line(&tables, 23), loop = pc_of_line(&tables, 26);
   assert_place(&tables, before, 0, "acc", 0, HDB_PIECE_VGPR, 5);
   assert_unavailable(&tables, before, "pair", 0);
   const char *const names[] = {"pair", "copy"};
   for (int i = 0; i < 2; i++) {
      assert_place(&tables, copied, 0, names[i], 0, HDB_PIECE_VGPR, 6);
      assert_place(&tables, copied, 0, names[i], 4, HDB_PIECE_VGPR, 5);
      struct hdb_piece piece = locate(&tables, copied, 0, names[i], 8);
      assert_int_equal(piece.kind, HDB_PIECE_BYTES);
      assert_memory_equal(piece.bytes, (const float[]){2.0f}, 4);
   }
   /* One of two components changes in the loop, nobody knows which. */
   assert_place(&tables, loop, 0, "copy", 0, HDB_PIECE_VGPR, 6);
   assert_unavailable(&tables, loop, "copy", 4);
   assert_unavailable(&tables, loop, "copy", 8);
   assert_place(&tables, loop, 0, "pair", 4, HDB_PIECE_VGPR, 5);

   /* In the call, through what was passed. */
   uint32_t inside = pc_of_line(&tables, 11);
   assert_place(&tables, inside, 0, "p", 0, HDB_PIECE_VGPR, 6);
   assert_unavailable(&tables, inside, "x", 0);
   free_tables(&tables);
}

static void
test_merges(void **state)
{
   struct tables tables;
   begin_values(&tables);
   uint32_t acc = add_location(&tables, variable_named(&tables.fixture.module, "acc", 0), 0);
   uint32_t header = location_of(&tables, find_opcode(&tables.fixture.module, SpvOpLoopMerge, 0, 0));
   put(&tables, acc, header, HDB_VALUE_VGPR, 8);
   put_result(&tables, SpvOpFAdd, 0, HDB_VALUE_VGPR, 7); /* acc += */
   finish(&tables);
   uint32_t body = pc_of_line(&tables, 26), behind = pc_of_line(&tables, 27);
   assert_place(&tables, body, 0, "acc", 0, HDB_PIECE_VGPR, 8);
   assert_place(&tables, behind, 0, "acc", 0, HDB_PIECE_VGPR, 7);
   /* Behind the loop, and in the arm of the `if`; behind that, one of two. */
   assert_place(&tables, pc_of_line(&tables, 29), 0, "acc", 0, HDB_PIECE_VGPR, 8);
   assert_place(&tables, pc_of_line(&tables, 31), 0, "acc", 0, HDB_PIECE_VGPR, 8);
   assert_unavailable(&tables, pc_of_line(&tables, 32), "acc", 0);
   /* The value that the caller passed. */
   assert_place(&tables, pc_of_line(&tables, 11), 0, "weight", 0, HDB_PIECE_VGPR, 8);
   free_tables(&tables);
}

/* Behind a loop, a register that all lanes share has what the last lane left. */
static void
test_shared_behind_loop(void **state)
{
   struct tables tables;
   begin_values(&tables);
   uint32_t acc = add_location(&tables, variable_named(&tables.fixture.module, "acc", 0), 0);
   uint32_t header = location_of(&tables, find_opcode(&tables.fixture.module, SpvOpLoopMerge, 0, 0));
   put(&tables, acc, header, HDB_VALUE_SGPR, 8);
   finish(&tables);
   assert_place(&tables, pc_of_line(&tables, 26), 0, "acc", 0, HDB_PIECE_SGPR, 8);
   assert_unavailable(&tables, pc_of_line(&tables, 29), "acc", 0);
   free_tables(&tables);
}

/* Entries that must not be taken: not now, not this call, not the scalar's size, of an instruction not certain to run.
 */
static void
test_entries(void **state)
{
   struct tables tables;
   begin(&tables, directory, "values.gVS.spv", "values.comp");
   struct hdb_value *value = put_result(&tables, SpvOpLoad, LOAD_ACC, HDB_VALUE_VGPR, 1);
   value->low = 0;
   value->high = 4;
   put_result(&tables, SpvOpLoad, LOAD_ACC, HDB_VALUE_VGPR, 2)->bits = 16;
   put_result(&tables, SpvOpLoad, LOAD_ACC, HDB_VALUE_VGPR, 3)->component = 1;
   put_result(&tables, SpvOpLoad, LOAD_ACC, HDB_VALUE_LANE_MASK, 4);
   uint32_t call = location_of(&tables, find_opcode(&tables.fixture.module, SpvOpFunctionCall, 0, 0));
   uint32_t elsewhere = add_location(&tables, find_opcode(&tables.fixture.module, SpvOpLoad, LOAD_ACC, 0), call);
   put(&tables, elsewhere, 0, HDB_VALUE_VGPR, 5);
   put_result(&tables, SpvOpFOrdGreaterThan, 0, HDB_VALUE_LANE_MASK, 10)->bits = 1;
   uint32_t acc = add_location(&tables, variable_named(&tables.fixture.module, "acc", 0), 0);
   uint32_t arm = location_of(&tables, find_opcode(&tables.fixture.module, SpvOpStore, 13, 0));
   put(&tables, acc, arm, HDB_VALUE_VGPR, 11); /* what acc is in the arm is not what it is behind it */
   finish(&tables);
   assert_unavailable(&tables, pc_of_line(&tables, 20), "acc", 0);
   assert_place(&tables, pc_of_line(&tables, 31), 0, "big", 0, HDB_PIECE_LANE_MASK, 10);
   assert_unavailable(&tables, pc_of_line(&tables, 32), "acc", 0);
   free_tables(&tables);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scratch),
      cmocka_unit_test(test_calls),
      cmocka_unit_test(test_workgroup_variables),
      cmocka_unit_test(test_specialization),
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_merges),
      cmocka_unit_test(test_shared_behind_loop),
      cmocka_unit_test(test_entries),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
