/* SPDX-License-Identifier: MIT */
/* Which dispatches are meant by a number, a name, a label or an expression. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "engine/engine.h"

/* 96x2x1 groups of 8x8x1, and one of unknown size from a file that is not known. */
static const struct dispatch blur = {
   .number = 7,
   .frame = 3,
   .name = "blur rows",
   .program = "blur.comp:main",
   .file = "shaders/blur.comp",
   .entry = "main",
   .labels = "frame\0post\0blur",
   .label_count = 3,
   .queue = "async",
   .workgroup = {8, 8, 1},
   .wave_size = 64,
   .sized = true,
   .grid = {96, 2, 1},
   .waves = 192,
};
static const struct dispatch indirect = {
   .number = 8, .name = "cull", .program = "unknown shader", .queue = "queue 0.0", .indirect_va = 0x1000};

static void
check(const char *selector, bool of_blur, bool of_indirect)
{
   char *error;
   if (selector_check(selector, &error)) {
      print_error("%s: %s\n", selector, error);
      fail();
   }
   if (selector_matches(selector, &blur) != of_blur || selector_matches(selector, &indirect) != of_indirect) {
      print_error("%s: not what it means\n", selector);
      fail();
   }
}

static void
test_names(void **state)
{
   check("7", true, false);
   check("07", true, false);
   check("blur rows", true, false);
   check("blur*", true, false);
   check("main", true, false);
   check("blur.comp", true, false);
   check("blur.comp:main", true, false);
   check("unknown shader", false, true);
   check("*", true, true);
   check("", false, false);
   check("label:post", true, false);
   check("label:fr*", true, false);
   check("label:*", true, false);
   check("label:other", false, false);
}

/* A pipeline may be called anything that does not begin with a property and compare. */
static void
test_names_like_expressions(void **state)
{
   check("grid-stride copy", false, false);
   check("y = a * x + y", false, false);
   check("waves", false, false);
   assert_false(selector_is_expression("sort<float>"));
   assert_false(selector_is_expression("7"));
   assert_true(selector_is_expression(" ( grid.x > 64 )"));
   assert_true(selector_is_expression("!indirect"));
   assert_true(selector_is_expression("(("));
   assert_true(selector_is_expression("\"blur*\" == name"));
   assert_true(selector_is_expression("-1 < number"));
   assert_true(selector_is_expression("64 <= grid.x"));
   assert_false(selector_is_expression("(anonymous)"));
   assert_false(selector_is_expression("3x3 blur"));
   assert_false(selector_is_expression("2 passes"));
}

/* Either side may be the one that is written, and what is subtracted may be more. */
static void
test_sides(void **state)
{
   check("\"blur*\" == name", true, false);
   check("\"cull\" == name", false, true);
   check("64 < grid.x", true, false);
   check("7 == number", true, false);
   check("-1 < number", true, true);
   check("number > -1", true, true);
   check("grid.x - 97 == -1", true, false);
   check("--number == 7", true, false);
   check("-number == -7", true, false);
   check("!-number", false, false);
}

static void
test_numbers(void **state)
{
   check("grid.x > 64", true, false);
   check("grid.x >= 96 && grid.x <= 96", true, false);
   check("grid.x == 0x60", true, false);
   check("grid.y < 2", false, false);
   check("grid == 192", true, false);
   check("workgroup == 64 && workgroup.z == 1", true, false);
   check("waves % 100 == 92", true, false);
   check("grid.x - grid.y * 40 == 16", true, false);
   check("(grid.x - grid.y) * 2 == 188", true, false);
   check("grid.x / 10 == 9", true, false);
   check("number == 7 || number == 8", true, true);
   check("frame == 3", true, false);
   check("internal == 0", true, true);
   check("indirect > 0", false, true);
   check("!indirect", true, false);
   check("indirect", false, true);
   check("internal", false, false);
   check("waves", false, false); /* a name: nothing is called so */
   check("!(grid.x > 1000)", true, false);
   check("number > 9223372036854775807", false, false);
}

static void
test_texts(void **state)
{
   check("name == \"blur*\"", true, false);
   check("name != \"blur*\"", false, true);
   check("number > 0 && \"cull\" == name", false, true);
   check("label == \"post\"", true, false);
   check("label != \"post\"", false, true);
   check("file == \"*.comp\" && entry == \"main\"", true, false);
   check("queue == \"async\"", true, false);
   check("pipeline == \"c?ll\"", false, true);
}

/* What is not known is neither so nor otherwise; the other side may decide. */
static void
test_unknown(void **state)
{
   check("grid.x > 64 || grid.x <= 64", true, false);
   check("file != \"x\"", true, false);
   check("grid.x > 64 || number == 8", true, true);
   check("!(grid.x > 64 && number == 8)", true, false);
   check("grid.x > 64 && number == 7", true, false);
   check("grid.x / (number - number) == 0", false, false);
}

static void
test_errors(void **state)
{
   static const char *const bad[] = {
      "grid.x >",          "grid.x > > 3",
      "grid.w > 3",        "(grid.x > 3",
      "grid.x > 3)",       "name > \"a\"",
      "name == 3",         "\"a\" == \"b\"",
      "grid.x == \"a",     "waves = 3",
      "grid.x > 3 banana", "name == name",
      "grid.x + name > 3", "number > 99999999999999999999",
      "label.x == 3",
   };
   for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
      char *error = NULL;
      bool expression = selector_is_expression(bad[i]);
      if (expression && (selector_check(bad[i], &error) == 0 || !error)) {
         print_error("%s is taken\n", bad[i]);
         fail();
      }
      assert_false(selector_matches(bad[i], &blur));
      free(error);
   }
   char deep[4096] = "";
   for (size_t i = 0; i < 1000; i++)
      deep[i] = i < 500 ? '(' : '!';
   strcpy(deep + 1000, "waves > 1");
   char *error = NULL;
   assert_true(selector_check(deep, &error) < 0);
   free(error);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),   cmocka_unit_test(test_names_like_expressions),
      cmocka_unit_test(test_numbers), cmocka_unit_test(test_texts),
      cmocka_unit_test(test_sides),   cmocka_unit_test(test_unknown),
      cmocka_unit_test(test_errors),
   };
   return cmocka_run_group_tests_name("selectors", tests, NULL, NULL);
}
