/* SPDX-License-Identifier: MIT */
/* What is computed of what registers still hold, and what must not be: computed.comp, whose values stand in registers
 * one by one. Computations are compared by their text: "IAdd(v5, 9)". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/operations.h"
#include "tables.h"

static const char *directory;

/* ---- text ---- */

static void print(FILE *out, const struct hdb_computation *computation);

static void
print_operation(FILE *out, const struct hdb_computation *computation)
{
   const char *separator = "";
   if (computation->what < OPERATION_GLSL)
      fprintf(out, "%u(", computation->what);
   else
      fprintf(out, "glsl%u(", computation->what - OPERATION_GLSL);
   for (unsigned k = 0; k < operation_operands(computation->what); k++, separator = ", ") {
      fputs(separator, out);
      if (computation->operands[k])
         print(out, computation->operands[k]);
      else
         fputs("?", out);
   }
   fputs(")", out);
}

static void
print_piece(FILE *out, const struct hdb_piece *piece)
{
   uint64_t value;
   memcpy(&value, piece->bytes, sizeof(value));
   if (piece->kind == HDB_PIECE_VGPR)
      fprintf(out, "v%u", piece->where);
   else if (piece->kind == HDB_PIECE_SGPR)
      fprintf(out, "s%u", piece->where);
   else if (piece->kind == HDB_PIECE_BYTES)
      fprintf(out, "%lu", (unsigned long)value);
   else if (piece->kind == HDB_PIECE_COMPUTED)
      print(out, piece->computation);
   else
      fputs(piece->kind == HDB_PIECE_UNAVAILABLE ? "?" : "somewhere", out);
}

static void
print(FILE *out, const struct hdb_computation *computation)
{
   switch (computation->kind) {
   case HDB_COMPUTATION_PIECE:
      print_piece(out, &computation->piece);
      break;
   case HDB_COMPUTATION_BUILTIN:
      fprintf(out, "builtin%u.%u", computation->what, computation->number);
      break;
   case HDB_COMPUTATION_PUSH_CONSTANT:
      fprintf(out, "push+%u", computation->number);
      break;
   case HDB_COMPUTATION_OPERATION:
      print_operation(out, computation);
      break;
   case HDB_COMPUTATION_VOTE:
      fprintf(out, "vote%u.%u(", computation->what, computation->number);
      print(out, computation->operands[0]);
      fputs(")", out);
      break;
   }
}

/* A variable's scalar at a pc, as text; operations by their numbers. */
static void
assert_text(const struct tables *tables, uint32_t pc, const char *name, uint32_t offset, const char *expected)
{
   struct hdb_piece piece = locate(tables, pc, 0, name, offset);
   char *text;
   size_t size;
   FILE *out = open_memstream(&text, &size);
   print_piece(out, &piece);
   fclose(out);
   if (strcmp(text, expected) != 0)
      fail_msg("%s at pc %u: %s; expected %s", name, pc, text, expected);
   free(text);
}

enum { /* what computed.comp loads, in the order of the module */
       LOAD_I = 0,
       LOAD_A = 4,
       LOAD_K = 24, /* in `last = k * 3` */
       LOAD_T = 38,
       LOAD_M = 50, /* passed to twist */
};

enum { IADD_K = 1 }; /* k + 2 */

/* The numbers are SpvOps: IAdd 128, IMul 132, ShiftRightLogical 194, BitwiseXor 198, BitwiseAnd 199, Select 169,
 * UGreaterThan 172, IEqual 170, Bitcast 124, FNegate 127. */

static void
begin_computed(struct tables *tables)
{
   begin(tables, directory, "computed.gVS.spv", "computed.comp");
}

/* The result of the n-th instruction of an opcode in the module, inlined at the first call. */
static void
put_inlined(struct tables *tables, uint32_t opcode, unsigned n, enum hdb_value_kind kind, uint32_t where)
{
   const struct test_shader *test = &tables->fixture.test;
   uint32_t call = location_of(tables, find_opcode(&tables->fixture.module, SpvOpFunctionCall, 0, 0));
   uint32_t offset = find_opcode(&tables->fixture.module, opcode, n, 0), location = 1;
   while (location < test->shader.location_count &&
          (test->locations[location].spirv_offset != offset || test->locations[location].inlined_at != call))
      location++;
   assert_true(location < test->shader.location_count);
   put(tables, location, 0, kind, where);
}

/* Builtins and push constants, where the block lies; nothing is in a register. */
static void
test_immutable(void **state)
{
   struct tables tables;
   begin_computed(&tables);
   finish(&tables);
   uint32_t end = pc_of_line(&tables, 41);
   assert_text(&tables, end, "i", 0, "builtin27.0");
   assert_text(&tables, end, "at", 0, "128(132(builtin27.0, push+16), 3)");
   assert_text(&tables, end, "a", 0, "?");
   assert_text(&tables, end, "b", 0, "?");
   free_tables(&tables);
}

static void
test_operations(void **state)
{
   struct tables tables;
   begin_computed(&tables);
   put_result(&tables, SpvOpLoad, LOAD_A, HDB_VALUE_VGPR, 5);
   finish(&tables);
   uint32_t behind = pc_of_line(&tables, 18);
   assert_text(&tables, behind, "a", 0, "v5");
   assert_text(&tables, behind, "b", 0, "194(198(v5, 5), 2)");
   assert_text(&tables, behind, "g", 0, "124(v5)");
   assert_text(&tables, behind, "h", 0, "?"); /* an addition may be part of a fused one */
   assert_text(&tables, behind, "n", 0, "127(124(v5))");
   assert_text(&tables, behind, "known", 0, "169(172(v5, 7), 128(132(builtin27.0, push+16), 3), 194(198(v5, 5), 2))");
   assert_text(&tables, behind, "half_known", 0, "169(172(v5, 8), 128(132(builtin27.0, push+16), 3), ?)");
   /* Not before they have been computed, even though their operands are there. */
   assert_text(&tables, pc_of_line(&tables, 13), "b", 0, "?");
   free_tables(&tables);
}

/* Registers that hold it no more, or a scalar of another size. */
static void
test_gone(void **state)
{
   struct tables tables;
   begin_computed(&tables);
   put_result(&tables, SpvOpLoad, LOAD_A, HDB_VALUE_VGPR, 5)->high = 4;
   put_result(&tables, SpvOpLoad, LOAD_A, HDB_VALUE_VGPR, 6)->bits = 16;
   finish(&tables);
   assert_text(&tables, pc_of_line(&tables, 18), "b", 0, "?");
   free_tables(&tables);
}

/* Behind the loop, `last` is of the k that the last pass began with, not of the one it ended with. */
static void
test_loop(void **state)
{
   struct tables tables;
   begin_computed(&tables);
   put_result(&tables, SpvOpIAdd, IADD_K, HDB_VALUE_VGPR, 7);
   finish(&tables);
   assert_text(&tables, pc_of_line(&tables, 25), "k", 0, "v7");
   assert_text(&tables, pc_of_line(&tables, 25), "last", 0, "?");
   free_tables(&tables);

   begin_computed(&tables);
   put_result(&tables, SpvOpIAdd, IADD_K, HDB_VALUE_VGPR, 7);
   put_result(&tables, SpvOpLoad, LOAD_K, HDB_VALUE_VGPR, 6);
   finish(&tables);
   assert_text(&tables, pc_of_line(&tables, 23), "last", 0, "132(v6, 3)");
   assert_text(&tables, pc_of_line(&tables, 25), "last", 0, "132(v6, 3)");
   free_tables(&tables);

   /* In a register that all lanes share there is that of the last lane. */
   begin_computed(&tables);
   put_result(&tables, SpvOpLoad, LOAD_K, HDB_VALUE_SGPR, 6);
   finish(&tables);
   assert_text(&tables, pc_of_line(&tables, 23), "last", 0, "132(s6, 3)");
   assert_text(&tables, pc_of_line(&tables, 25), "last", 0, "?");
   free_tables(&tables);
}

/* The arm of a flattened `if` is code for all lanes: what is computed in it counts in it only. */
static void
test_flattened(void **state)
{
   struct tables tables;
   begin_computed(&tables);
   put_result(&tables, SpvOpLoad, LOAD_A, HDB_VALUE_VGPR, 5);
   finish(&tables);
   assert_text(&tables, pc_of_line(&tables, 27), "c", 0, "1");
   assert_text(&tables, pc_of_line(&tables, 29), "c", 0, "128(v5, 9)");
   assert_text(&tables, pc_of_line(&tables, 31), "c", 0, "?");
   free_tables(&tables);
}

/* What a variable was given in the pass before is not what this pass would give it. */
static void
test_iterations(void **state)
{
   struct tables tables;
   begin_computed(&tables);
   put_result(&tables, SpvOpLoad, LOAD_A, HDB_VALUE_VGPR, 5);
   put_result(&tables, SpvOpLoad, LOAD_T, HDB_VALUE_VGPR, 8);
   finish(&tables);
   uint32_t store = pc_of_line(&tables, 35), next = pc_of_line(&tables, 36);
   assert_text(&tables, store, "t", 0, "v8");
   assert_text(&tables, store, "next", 0, "128(v8, 11)");
   assert_text(&tables, store, "before", 0, "?");
   assert_text(&tables, next, "before", 0, "?");
   assert_text(&tables, find_pc(&tables.fixture, SpvOpIAdd, 5), "before", 0, "128(v8, 11)"); /* j++ */
   assert_text(&tables, pc_of_line(&tables, 38), "before", 0, "?");
   free_tables(&tables);
}

/* An element by an index that is not constant: the one stored to, or as before. */
static void
test_indexes(void **state)
{
   struct tables tables;
   begin_computed(&tables);
   put_result(&tables, SpvOpLoad, LOAD_A, HDB_VALUE_VGPR, 5);
   finish(&tables);
   uint32_t end = pc_of_line(&tables, 41);
   const char *b = "194(198(v5, 5), 2)", *index = "199(v5, 1)";
   char first[256], second[256], got[1024];
   snprintf(first, sizeof(first), "169(170(%s, 0), %s, 7)", index, b);
   snprintf(second, sizeof(second), "169(170(%s, 1), %s, 8)", index, b);
   snprintf(got, sizeof(got), "169(170(199(builtin27.0, 1), 0), %s, 169(170(199(builtin27.0, 1), 1), %s, ?))", first,
            second);
   assert_text(&tables, pc_of_line(&tables, 39), "set", 4, "8");
   assert_text(&tables, end, "set", 0, first);
   assert_text(&tables, end, "set", 4, second);
   assert_text(&tables, end, "got", 0, got);
   free_tables(&tables);
}

/* What a call has returned, by what is known in the call of what was passed to it. */
static void
test_returned(void **state)
{
   struct tables tables;
   begin_computed(&tables);
   put_result(&tables, SpvOpLoad, LOAD_M, HDB_VALUE_VGPR, 9);
   finish(&tables);
   assert_text(&tables, pc_of_line(&tables, 44), "turned", 0, "?"); /* the pass before's, or 0 */
   assert_text(&tables, pc_of_line(&tables, 45), "turned", 0, "132(198(v9, 21), 2)");
   assert_text(&tables, pc_of_line(&tables, 47), "turned", 0, "132(198(v9, 21), 2)");
   free_tables(&tables);

   begin_computed(&tables);
   put_result(&tables, SpvOpLoad, LOAD_M, HDB_VALUE_SGPR, 9);
   finish(&tables);
   assert_text(&tables, pc_of_line(&tables, 45), "turned", 0, "132(198(s9, 21), 2)");
   assert_text(&tables, pc_of_line(&tables, 47), "turned", 0, "?");
   free_tables(&tables);

   /* In the call, by a register that all lanes share: it has what the last of them had. */
   begin_computed(&tables);
   put_inlined(&tables, SpvOpBitwiseXor, 1, HDB_VALUE_SGPR, 10);
   finish(&tables);
   assert_text(&tables, pc_of_line(&tables, 45), "turned", 0, "132(s10, 2)");
   assert_text(&tables, pc_of_line(&tables, 47), "turned", 0, "?");
   free_tables(&tables);
}

/* From the midst of a loop, in which other lanes have gone on. */
static void
test_returned_from_loop(void **state)
{
   static const enum hdb_value_kind kinds[] = {HDB_VALUE_VGPR, HDB_VALUE_SGPR};
   static const char *const texts[] = {"128(v4, 1)", "?"};
   for (int i = 0; i < 2; i++) {
      struct tables tables;
      begin(&tables, directory, "returns.gVS.spv", "returns.comp");
      put_inlined(&tables, SpvOpIMul, 0, kinds[i], 4);
      finish(&tables);
      assert_text(&tables, pc_of_line(&tables, 19), "found", 0, texts[i]);
      free_tables(&tables);
   }
}

/* Votes and ballots of all lanes: where all lanes come by, of what is known of them all. */
static void
test_votes(void **state)
{
   struct tables tables;
   begin_computed(&tables);
   put_result(&tables, SpvOpLoad, LOAD_I, HDB_VALUE_VGPR, 4);
   put_result(&tables, SpvOpLoad, LOAD_A, HDB_VALUE_VGPR, 5);
   finish(&tables);
   uint32_t behind = pc_of_line(&tables, 18), end = find_pc(&tables.fixture, SpvOpReturn, 0);
   assert_text(&tables, behind, "i", 0, "v4");
   assert_text(&tables, behind, "any", 0, "vote335.0(170(199(builtin27.0, 1), 1))"); /* v4 has it for active lanes */
   assert_text(&tables, behind, "any_big", 0, "vote335.0(172(v5, 9))");
   assert_text(&tables, behind, "all", 0, "?"); /* compares floats */
   assert_text(&tables, behind, "ballot", 4, "vote339.1(172(builtin27.0, 3))");
   assert_text(&tables, behind, "nested", 4, "?");
   assert_text(&tables, pc_of_line(&tables, 16), "any", 0, "?");
   assert_text(&tables, end, "late", 0, "?"); /* lanes may be gone by then */
   free_tables(&tables);
}

/* A bool that was copied to a register as a number. */
static void
test_bools(void **state)
{
   struct tables tables;
   begin(&tables, directory, "values.gVS.spv", "values.comp");
   put_result(&tables, SpvOpFOrdGreaterThan, 0, HDB_VALUE_SGPR, 10);
   finish(&tables);
   assert_text(&tables, pc_of_line(&tables, 31), "big", 0, "s10");
   free_tables(&tables);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_immutable), cmocka_unit_test(test_operations), cmocka_unit_test(test_gone),
      cmocka_unit_test(test_loop),      cmocka_unit_test(test_flattened),  cmocka_unit_test(test_iterations),
      cmocka_unit_test(test_indexes),   cmocka_unit_test(test_returned),   cmocka_unit_test(test_returned_from_loop),
      cmocka_unit_test(test_votes),     cmocka_unit_test(test_bools),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
