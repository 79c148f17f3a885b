/* SPDX-License-Identifier: MIT */
/* The SPIR-V reader on what glslang and a SPIR-V optimiser write, and on modules that are broken in every way. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "module.h"
#include "symbols/spirv.h"

static const char *directory;

/* calls.comp, by line: the store of `i`, the `if`, the call, ... */
static void
check_lines(const char *name, const char *function)
{
   struct test_module file = load_module(directory, name);
   struct spirv_module module;
   char *error;
   assert_int_equal(spirv_module_init(&module, file.words, file.size, &error), 0);
   assert_null(error);

   static const struct {
      uint32_t opcode;
      unsigned n;
      uint32_t line;
      bool callee;
   } expected[] = {
      {SpvOpStore, 0, 16, false},        {SpvOpSelectionMerge, 0, 17, false},
      {SpvOpReturn, 0, 18, false},       {SpvOpStore, 1, 19, false},
      {SpvOpLoopMerge, 0, 20, false},    {SpvOpSLessThan, 0, 20, false},
      {SpvOpFunctionCall, 0, 21, false}, {SpvOpFMul, 0, 22, false},
      {SpvOpIAdd, 0, 20, false},         {SpvOpReturn, 1, 24, false},
      {SpvOpFMul, 1, 8, true},           {SpvOpFOrdGreaterThan, 0, 9, true},
      {SpvOpFSub, 0, 10, true},          {SpvOpReturnValue, 0, 11, true},
   };
   for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
      uint32_t offset = find_opcode(&file, expected[i].opcode, expected[i].n, 0);
      assert_int_not_equal(offset, 0);
      const struct spirv_place *place = spirv_find_place(&module, offset);
      assert_non_null(place);
      if (place->line != expected[i].line)
         fail_msg("%s: opcode %u, number %u: line %u, expected %u", name, expected[i].opcode, expected[i].n,
                  place->line, expected[i].line);
      assert_string_equal(module.functions[place->function].name, expected[i].callee ? "scale" : function);
      assert_non_null(strstr(module.files[place->file].name, "calls.comp"));
      assert_int_equal(place->inlining, SPIRV_NONE);
   }
   /* Text as in the file: glslang's preamble is gone. */
   assert_int_equal(module.file_count, 1);
   assert_non_null(module.files[0].text);
   assert_memory_equal(module.files[0].text, "#version 450\nlayout(local", 25);

   assert_true(spirv_is_key(&module, find_opcode(&file, SpvOpStore, 0, 0)));
   assert_true(spirv_is_key(&module, find_opcode(&file, SpvOpReturn, 0, 0)));
   assert_true(spirv_is_key(&module, find_opcode(&file, SpvOpIAdd, 0, 0))); /* its value is stored */
   assert_false(spirv_is_key(&module, find_opcode(&file, SpvOpSLessThan, 0, 0)));
   spirv_module_finish(&module);
   free(file.words);
}

static void
test_debug_info(void **state)
{
   check_lines("calls.gVS.spv", "main");
}

static void
test_op_line(void **state)
{
   check_lines("calls.g.spv", "main");
}

static void
test_no_lines(void **state)
{
   struct test_module file = load_module(directory, "calls.g0.spv");
   struct spirv_module module;
   char *error;
   assert_int_equal(spirv_module_init(&module, file.words, file.size, &error), 0);
   const struct spirv_place *place = spirv_find_place(&module, find_opcode(&file, SpvOpStore, 0, 0));
   assert_non_null(place);
   assert_int_equal(place->file, SPIRV_NONE);
   assert_int_equal(place->line, 0);
   assert_int_equal(module.file_count, 0);
   spirv_module_finish(&module);
   free(file.words);
}

/* After spirv-opt has inlined `scale`, its instructions say so through DebugInlinedAt. */
static void
test_inlined(void **state)
{
   struct test_module file = load_module(directory, "calls.inlined.spv");
   struct spirv_module module;
   char *error;
   assert_int_equal(spirv_module_init(&module, file.words, file.size, &error), 0);
   const struct spirv_place *place = spirv_find_place(&module, find_opcode(&file, SpvOpFSub, 0, 0));
   assert_non_null(place);
   assert_int_equal(place->line, 10);
   assert_string_equal(module.functions[place->function].name, "scale");
   assert_int_not_equal(place->inlining, SPIRV_NONE);
   const struct spirv_inlining *inlining = &module.inlinings[place->inlining];
   assert_int_equal(inlining->line, 21);
   assert_string_equal(module.functions[inlining->function].name, "main");
   assert_int_equal(inlining->outer, SPIRV_NONE);
   spirv_module_finish(&module);
   free(file.words);
}

/* Reads a copy that ends exactly at the end of an allocation, so that sanitizers see every byte too many. */
static int
read_copy(const void *words, size_t size)
{
   struct spirv_module module;
   char *error = NULL;
   void *copy = malloc(size ? size : 1);
   memcpy(copy, words, size);
   int result = spirv_module_init(&module, copy, size, &error);
   if (result == 0) {
      assert_null(error);
      for (uint32_t offset = 0; offset < size; offset += 4)
         spirv_find_place(&module, offset);
      spirv_module_finish(&module);
   } else {
      assert_int_equal(result, -EINVAL);
      assert_non_null(error);
      assert_null(strchr(error, '\n'));
   }
   free(error);
   free(copy);
   return result;
}

static void
test_truncated(void **state)
{
   static const char *const names[] = {"calls.gVS.spv", "calls.g.spv", "calls.g0.spv", "calls.inlined.spv"};
   for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      struct test_module file = load_module(directory, names[i]);
      uint32_t first_function = find_opcode(&file, SpvOpFunction, 0, 0);
      uint32_t first_end = find_opcode(&file, SpvOpFunctionEnd, 0, 0);
      for (size_t size = 0; size < file.size; size++) {
         int result = read_copy(file.words, size);
         if (size % 4 != 0 || (size > first_function && size <= first_end))
            assert_int_equal(result, -EINVAL);
      }
      assert_int_equal(read_copy(file.words, file.size), 0);
      free(file.words);
   }
}

static void
test_flipped_bits(void **state)
{
   struct test_module file = load_module(directory, "calls.gVS.spv");
   unsigned refused = 0;
   for (size_t bit = 0; bit < file.size * 8; bit++) {
      if (bit / 32 == 3) /* the bound: anything above is as good */
         continue;
      file.words[bit / 32] ^= 1u << bit % 32;
      refused += read_copy(file.words, file.size) != 0;
      file.words[bit / 32] ^= 1u << bit % 32;
   }
   assert_true(refused > 1000);
   free(file.words);
}

static void
test_not_a_module(void **state)
{
   struct spirv_module module;
   char *error;
   uint32_t words[8] = {0x03022307, 0x10000, 0, 100, 0};
   assert_int_equal(spirv_module_init(&module, words, sizeof(words), &error), -EINVAL);
   assert_string_equal(error, "malformed SPIR-V at byte 0: 0x03022307 is not the magic number");
   free(error);
   words[0] = SpvMagicNumber;
   words[3] = 0;
   assert_int_equal(spirv_module_init(&module, words, sizeof(words), &error), -EINVAL);
   free(error);
   words[3] = 100;
   assert_int_equal(spirv_module_init(&module, words, sizeof(words), &error), -EINVAL);
   assert_string_equal(error, "malformed SPIR-V at byte 20: an instruction of no words");
   free(error);
}

/* Modules one behind the other: each keeps its own files, though they have one name, and offsets go on. */
static void
test_several(void **state)
{
   struct test_module file = load_module(directory, "calls.gVS.spv");
   struct spirv_module module;
   char *error;
   uint32_t *words = malloc(2 * file.size);
   memcpy(words, file.words, file.size);
   memcpy(words + file.size / 4, file.words, file.size);
   assert_int_equal(spirv_module_init(&module, words, 2 * file.size, &error), 0);
   assert_int_equal(module.file_count, 2);
   assert_string_equal(module.files[0].text, module.files[1].text);
   uint32_t store = find_opcode(&file, SpvOpStore, 0, 0);
   const struct spirv_place *first = spirv_find_place(&module, store);
   const struct spirv_place *second = spirv_find_place(&module, file.size + store);
   assert_non_null(first);
   assert_non_null(second);
   assert_int_equal(first->line, second->line);
   assert_int_equal(first->file, 0);
   assert_int_equal(second->file, 1);
   assert_true(spirv_is_key(&module, file.size + store));
   spirv_module_finish(&module);

   words[file.size / 4 + 3] = 0; /* the second one's bound */
   assert_int_equal(spirv_module_init(&module, words, 2 * file.size, &error), -EINVAL);
   char expected[80];
   snprintf(expected, sizeof(expected), "malformed SPIR-V at byte %zu: a bound of 0 ids", file.size + 12);
   assert_string_equal(error, expected);
   free(error);
   free(words);
   free(file.words);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_debug_info),   cmocka_unit_test(test_op_line),   cmocka_unit_test(test_no_lines),
      cmocka_unit_test(test_inlined),      cmocka_unit_test(test_truncated), cmocka_unit_test(test_flipped_bits),
      cmocka_unit_test(test_not_a_module), cmocka_unit_test(test_several),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
