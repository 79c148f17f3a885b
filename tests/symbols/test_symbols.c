/* SPDX-License-Identifier: MIT */
/* Machine code joined with source: positions, inlined calls, breakpoints' places, the ends of steps. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"

static const char *directory;

static uint32_t
line_at(const struct fixture *fixture, uint32_t pc)
{
   struct hdb_position position;
   return hdb_symbols_position(fixture->symbols, pc, &position) ? position.line : 0;
}

static void
check_frames(const char *name)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, name, HDB_SHADER_DEBUG_COMPILED);
   struct hdb_frame frames[4];
   uint32_t in_scale = find_pc(&fixture, SpvOpFSub, 0), in_main = find_pc(&fixture, SpvOpIAdd, 0);

   assert_int_equal(hdb_symbols_frames(fixture.symbols, in_scale, frames, 4), 2);
   assert_int_equal(frames[0].position.line, 10);
   assert_string_equal(frames[0].function, "scale");
   assert_int_equal(frames[1].position.line, 21);
   assert_string_equal(frames[1].function, "main");
   assert_int_equal(hdb_symbols_frames(fixture.symbols, in_main, frames, 4), 1);
   assert_int_equal(frames[0].position.line, 20);

   /* Fewer wanted than there are. */
   assert_int_equal(hdb_symbols_frames(fixture.symbols, in_scale, frames, 1), 2);
   free_fixture(&fixture);
}

static void
test_frames(void **state)
{
   check_frames("calls.gVS.spv");
   check_frames("calls.g.spv");
}

/* `scale` was inlined by spirv-opt: the module itself knows the call. */
static void
test_frames_of_optimised_module(void **state)
{
   check_frames("calls.inlined.spv");
}

static void
test_breakpoints(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "calls.gVS.spv", HDB_SHADER_DEBUG_COMPILED);
   static const char *const spellings[] = {"calls.comp", "./calls.comp", "symbols/calls.comp",
                                           "../../symbols/calls.comp"};
   const char *file = hdb_symbols_file_name(fixture.symbols, 0);
   uint32_t pcs[8], actual;

   assert_int_equal(hdb_symbols_find_line(fixture.symbols, file, 22, pcs, 8, &actual), 1);
   assert_int_equal(actual, 22);
   assert_int_equal(line_at(&fixture, pcs[0]), 22);
   assert_true(hdb_symbols_is_statement(fixture.symbols, pcs[0]));
   for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
      assert_int_equal(hdb_symbols_find_line(fixture.symbols, spellings[i], 22, pcs, 8, &actual), 1);

   /* A `for` is entered once, though its condition and increment stand on the line, too. */
   assert_int_equal(hdb_symbols_find_line(fixture.symbols, file, 20, pcs, 8, &actual), 1);
   assert_true(pcs[0] < find_pc(&fixture, SpvOpSLessThan, 0));

   /* Lines without code stay in their function: the next one, from its end the one before. */
   static const struct {
      uint32_t line, actual;
   } moved[] = {{6, 8}, {7, 8}, {12, 11}, {15, 16}, {25, 24}};
   for (size_t i = 0; i < sizeof(moved) / sizeof(moved[0]); i++) {
      assert_int_equal(hdb_symbols_find_line(fixture.symbols, file, moved[i].line, pcs, 8, &actual), 1);
      assert_int_equal(actual, moved[i].actual);
   }
   /* Outside of every function: the next one of the file, behind the last line the one before. */
   assert_int_equal(hdb_symbols_find_line(fixture.symbols, file, 2, pcs, 8, &actual), 1);
   assert_int_equal(actual, 8);
   assert_int_equal(hdb_symbols_find_line(fixture.symbols, file, 13, pcs, 8, &actual), 1);
   assert_int_equal(actual, 16);
   assert_int_equal(hdb_symbols_find_line(fixture.symbols, file, 99, pcs, 8, &actual), 1);
   assert_int_equal(actual, 24);

   assert_int_equal(hdb_symbols_find_line(fixture.symbols, "other.comp", 22, pcs, 8, &actual), 0);
   assert_int_equal(hdb_symbols_find_line(fixture.symbols, "elsewhere/calls.comp", 22, pcs, 8, &actual), 0);
   assert_int_equal(hdb_symbols_find_line(fixture.symbols, "", 22, pcs, 8, &actual), 0);
   assert_int_equal(hdb_symbols_find_line(fixture.symbols, "alls.comp", 22, pcs, 8, &actual), 0);

   struct hdb_pc_range ranges[8];
   /* The condition follows on the start; the increment stands behind the body. */
   assert_int_equal(hdb_symbols_line_places(fixture.symbols, file, 20, ranges, 8), 2);
   for (uint32_t pc = ranges[0].low; pc < ranges[0].high; pc += 4)
      assert_int_equal(line_at(&fixture, pc), 20);
   free_fixture(&fixture);
}

/* Nothing is left of `scale`: a breakpoint in it does not go elsewhere. */
static void
test_function_without_code(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "calls.gVS.spv", 0);
   const char *file = hdb_symbols_file_name(fixture.symbols, 0);
   for (uint32_t i = 0; i < fixture.test.shader.pc_location_count; i++) {
      uint32_t line = line_at(&fixture, fixture.test.pcs[i].pc);
      if (line >= 6 && line <= 12)
         fixture.test.pcs[i].location = 0;
   }
   hdb_symbols_destroy(fixture.symbols);
   char *error;
   uint32_t pcs[8], actual;
   assert_int_equal(hdb_symbols_create(&fixture.test.shader, &fixture.symbols, &error), 0);
   assert_int_equal(hdb_symbols_find_line(fixture.symbols, file, 9, pcs, 8, &actual), 0);
   assert_int_equal(actual, 9);
   assert_int_equal(hdb_symbols_find_line(fixture.symbols, file, 20, pcs, 8, &actual), 2);
   assert_int_equal(actual, 20);
   free_fixture(&fixture);
}

/* Runs a step as the engine does, on code that takes no branch, and returns the line it ends at. */
static uint32_t
walk(const struct fixture *fixture, enum hdb_line_step kind, uint32_t *pc)
{
   uint32_t origin = *pc, low, high;
   do {
      hdb_symbols_step_range(fixture->symbols, origin, kind, *pc, &low, &high);
      assert_true(low <= *pc && *pc < high);
      *pc = high;
   } while (*pc < fixture->test.shader.exec_size && !hdb_symbols_ends_step(fixture->symbols, origin, kind, *pc));
   return *pc < fixture->test.shader.exec_size ? line_at(fixture, *pc) : 0;
}

static void
test_steps(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "calls.gVS.spv", HDB_SHADER_DEBUG_COMPILED);
   uint32_t pc = find_pc(&fixture, SpvOpSLessThan, 0);

   /* Over the call, into it, out of it. */
   assert_int_equal(walk(&fixture, HDB_STEP_OVER, &pc), 21);
   uint32_t call = pc;
   assert_int_equal(walk(&fixture, HDB_STEP_OVER, &pc), 22);
   pc = call;
   assert_int_equal(walk(&fixture, HDB_STEP_INTO, &pc), 8);
   assert_int_equal(walk(&fixture, HDB_STEP_INTO, &pc), 9);
   uint32_t inside = pc;
   assert_int_equal(walk(&fixture, HDB_STEP_OUT, &pc), 21);
   pc = inside;
   assert_int_equal(walk(&fixture, HDB_STEP_OVER, &pc), 10);
   assert_int_equal(walk(&fixture, HDB_STEP_OVER, &pc), 11);
   assert_int_equal(walk(&fixture, HDB_STEP_OVER, &pc), 21); /* the rest of the calling statement */
   assert_int_equal(walk(&fixture, HDB_STEP_OVER, &pc), 22);
   assert_int_equal(walk(&fixture, HDB_STEP_OVER, &pc), 20);
   assert_int_equal(walk(&fixture, HDB_STEP_OVER, &pc), 24);
   assert_int_equal(walk(&fixture, HDB_STEP_OVER, &pc), 0); /* the end */
   free_fixture(&fixture);
}

/* With pads, statements begin at them and nowhere else. */
static void
test_pads(void **state)
{
   struct fixture fixture = {.module = load_module(directory, "calls.gVS.spv")};
   char *error;
   fixture.test = make_shader(&fixture.module);
   uint32_t pad = find_pc(&fixture, SpvOpFMul, 0); /* acc *= 2.0, the second statement on line 22 */
   fixture.test.code[pad / 4] = 0xbf800000 | HDB_STATEMENT_PAD;
   fixture.test.code[pad / 4 + 1] = 0xbf800000; /* an s_nop for the hardware's sake */
   assert_int_equal(hdb_symbols_create(&fixture.test.shader, &fixture.symbols, &error), 0);
   uint32_t statements = 0;
   for (uint32_t pc = 0; pc < fixture.test.shader.exec_size; pc += 4)
      statements += hdb_symbols_is_statement(fixture.symbols, pc);
   assert_int_equal(statements, 1);
   assert_true(hdb_symbols_is_statement(fixture.symbols, pad));
   assert_true(hdb_symbols_is_pad(fixture.symbols, pad));
   assert_false(hdb_symbols_is_pad(fixture.symbols, pad + 4));
   free_fixture(&fixture);
}

/* What stands before the first pad is of the first statement, whatever the compiler moved there. */
static void
test_prologue(void **state)
{
   struct fixture fixture = {.module = load_module(directory, "calls.gVS.spv")};
   char *error;
   fixture.test = make_shader(&fixture.module);
   uint32_t last = fixture.test.shader.pc_location_count - 1, low, high;
   for (uint32_t i = 3; i < last; i++)
      fixture.test.pcs[i].location = fixture.test.pcs[i - 3].location;
   fixture.test.pcs[0].location = fixture.test.pcs[1].location = fixture.test.pcs[last].location; /* line 24's */
   fixture.test.pcs[2].location = 0;
   fixture.test.code[3] = 0xbf800000 | HDB_STATEMENT_PAD;
   assert_int_equal(hdb_symbols_create(&fixture.test.shader, &fixture.symbols, &error), 0);
   for (uint32_t pc = 0; pc <= 12; pc += 4) {
      assert_int_equal(line_at(&fixture, pc), 16);
      assert_int_equal(hdb_symbols_is_statement(fixture.symbols, pc), pc == 12);
   }
   /* A step from the entry leaves the line. */
   assert_false(hdb_symbols_ends_step(fixture.symbols, 0, HDB_STEP_INTO, 12));
   hdb_symbols_step_range(fixture.symbols, 0, HDB_STEP_INTO, 0, &low, &high);
   assert_true(low == 0 && high > 12);
   free_fixture(&fixture);
}

/* Optimised code stops where a statement takes effect. */
static void
test_key_instructions(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "calls.gVS.spv", 0);
   assert_true(hdb_symbols_is_statement(fixture.symbols, find_pc(&fixture, SpvOpStore, 1)));
   assert_true(hdb_symbols_is_statement(fixture.symbols, find_pc(&fixture, SpvOpIAdd, 0)));
   assert_false(hdb_symbols_is_statement(fixture.symbols, find_pc(&fixture, SpvOpSLessThan, 0)));
   assert_false(hdb_symbols_is_pad(fixture.symbols, find_pc(&fixture, SpvOpStore, 1)));
   free_fixture(&fixture);
}

static void
test_unknown_locations(void **state)
{
   struct fixture fixture = {.module = load_module(directory, "calls.gVS.spv")};
   char *error;
   fixture.test = make_shader(&fixture.module);
   struct hdb_pc_location *pcs = fixture.test.pcs;
   uint32_t last = fixture.test.shader.pc_location_count - 1;
   uint32_t line_last = 24;
   pcs[0].location = 0;          /* prologue */
   pcs[last].location = 1 << 30; /* nonsense */
   assert_int_equal(hdb_symbols_create(&fixture.test.shader, &fixture.symbols, &error), 0);
   assert_int_equal(line_at(&fixture, pcs[0].pc), 16);
   assert_int_equal(line_at(&fixture, pcs[last].pc), line_last);
   free_fixture(&fixture);
}

/* Chains that run in a circle end. */
static void
test_circular_locations(void **state)
{
   struct fixture fixture = {.module = load_module(directory, "calls.gVS.spv")};
   char *error;
   struct hdb_frame frames[4];
   fixture.test = make_shader(&fixture.module);
   for (uint32_t i = 1; i < fixture.test.shader.location_count; i++)
      fixture.test.locations[i].inlined_at = i;
   assert_int_equal(hdb_symbols_create(&fixture.test.shader, &fixture.symbols, &error), 0);
   assert_true(hdb_symbols_frames(fixture.symbols, 8, frames, 4) > 1);
   free_fixture(&fixture);
}

static void
test_text(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "calls.gVS.spv", 0);
   const char *file = hdb_symbols_file_name(fixture.symbols, 0);
   size_t length;
   const char *text = hdb_symbols_line_text(fixture.symbols, file, 8, &length);
   assert_non_null(text);
   assert_int_equal(length, strlen("   float y = x * a;"));
   assert_memory_equal(text, "   float y = x * a;", length);
   assert_null(hdb_symbols_line_text(fixture.symbols, file, 99, &length));
   assert_null(hdb_symbols_line_text(fixture.symbols, "other.comp", 1, &length));
   assert_null(hdb_symbols_file_name(fixture.symbols, 1));
   free_fixture(&fixture);
}

/* The call tree needs no lines, nor does the way out of a call. */
static void
test_names_alone(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "calls.names.spv", HDB_SHADER_DEBUG_COMPILED);
   struct hdb_frame frames[4];
   uint32_t in_scale = find_pc(&fixture, SpvOpFSub, 0), in_main = find_pc(&fixture, SpvOpIAdd, 0);
   assert_false(hdb_symbols_has_lines(fixture.symbols));
   assert_int_equal(hdb_symbols_frames(fixture.symbols, in_scale, frames, 4), 2);
   assert_string_equal(frames[0].function, "scale");
   assert_string_equal(frames[1].function, "main");
   assert_null(frames[0].position.file);
   assert_int_equal(hdb_symbols_frames(fixture.symbols, in_main, frames, 4), 1);
   assert_string_equal(frames[0].function, "main");
   assert_true(hdb_symbols_ends_step(fixture.symbols, in_scale, HDB_STEP_OUT, in_main));
   assert_false(hdb_symbols_ends_step(fixture.symbols, in_scale, HDB_STEP_OUT, in_scale));
   free_fixture(&fixture);
}

static void
test_without_lines(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "calls.g0.spv", 0);
   struct hdb_position position;
   struct hdb_frame frames[2];
   uint32_t pc, actual;
   assert_false(hdb_symbols_has_lines(fixture.symbols));
   assert_false(hdb_symbols_position(fixture.symbols, 4, &position));
   assert_int_equal(hdb_symbols_frames(fixture.symbols, find_pc(&fixture, SpvOpFSub, 0), frames, 2), 2);
   assert_null(frames[0].position.file);
   assert_int_equal(frames[0].function[0], '%'); /* its id: there is no name */
   assert_string_equal(frames[1].function, "main");
   assert_int_equal(hdb_symbols_find_line(fixture.symbols, "calls.comp", 8, &pc, 1, &actual), 0);
   assert_null(hdb_symbols_file_name(fixture.symbols, 0));
   free_fixture(&fixture);

   /* A shader made from a binary. */
   struct hdb_shader shader = {.exec_size = 64};
   struct hdb_symbols *symbols;
   char *error;
   assert_int_equal(hdb_symbols_create(&shader, &symbols, &error), 0);
   assert_false(hdb_symbols_has_lines(symbols));
   assert_false(hdb_symbols_is_statement(symbols, 0));
   hdb_symbols_destroy(symbols);
}

static void
test_malformed(void **state)
{
   struct test_module module = load_module(directory, "calls.gVS.spv");
   struct hdb_shader shader = {.spirv = module.words, .spirv_size = module.size - 4};
   struct hdb_symbols *symbols;
   char *error;
   assert_int_equal(hdb_symbols_create(&shader, &symbols, &error), -EINVAL);
   assert_null(symbols);
   assert_non_null(error);
   free(error);
   free(module.words);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_frames),
      cmocka_unit_test(test_frames_of_optimised_module),
      cmocka_unit_test(test_breakpoints),
      cmocka_unit_test(test_function_without_code),
      cmocka_unit_test(test_steps),
      cmocka_unit_test(test_pads),
      cmocka_unit_test(test_prologue),
      cmocka_unit_test(test_key_instructions),
      cmocka_unit_test(test_unknown_locations),
      cmocka_unit_test(test_circular_locations),
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_names_alone),
      cmocka_unit_test(test_without_lines),
      cmocka_unit_test(test_malformed),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
