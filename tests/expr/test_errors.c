/* SPDX-License-Identifier: MIT */
/* What is refused, and that everything has an end. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

static void
test_errors(void **state)
{
   static const struct expectation refused[] = {
      {"", "a value expected at the end", NULL},
      {"1 +", "a value expected at the end (column 4)", NULL},
      {"1 2", "not understood: \"2\" (column 3)", NULL},
      {"(1", ") expected", NULL},
      {"v[1", "] expected", NULL},
      {"v.", "a member expected", NULL},
      {"v.q", "has no .q", NULL},
      {"v2.z", "has no .z", NULL},
      {"v.xyzzy", "has no .xyzzy", NULL},
      {"v.xr", "has no .xr", NULL},
      {"v[-1]", "-1 is out of range: there are 3 components", NULL},
      {"v.xy[2]", "2 is out of range: there are 2 components", NULL},
      {"tile[-1]", "-1 is out of range: there are 4 elements", NULL},
      {"f.length()", "float has no length()", NULL},
      {"v[3]", "3 is out of range: there are 3 components", NULL},
      {"m[3]", "there are 3 columns", NULL},
      {"pair[2]", "2 is out of range: there are 2 elements", NULL},
      {"pair[-1]", "-1 is out of range", NULL},
      {"pair[1.5]", "an integer expected", NULL},
      {"int[3](4, 5)", "2 given, there are 3 elements", NULL},
      {"int[3]", "( expected at the end", NULL},
      {"Blade(1, 2, 3)", "3 given, there are 2 members", NULL},
      {"Blade[1](1)", "a int is no Blade", NULL},
      {"blade == 1", "a Blade can't be compared with a int", NULL},
      {"blade == pair", "can't be compared", NULL},
      {"blade.x", "Blade has no member \"x\"", NULL},
      {"f.y", "float has no members", NULL},
      {"blocks[2].padded", "2 is out of range", NULL},
      {"blocks.padded", "has no members", NULL},
      {"nope", "no \"nope\" in this scope (column 1)", NULL},
      {"1 + nope", "(column 5)", NULL},
      {"#", "'#' has no meaning", NULL},
      {"\x01", "0x01", NULL},
      {"0x", "is no number", NULL},
      {"12abc", "\"12abc\" is no number", NULL},
      {"1e400", "does not fit a 64-bit float", NULL},
      {"1e300f", "does not fit a 32-bit float", NULL},
      {"99999999999999999999", "does not fit 64 bits", NULL},
      {"{nope}1", "a type expected", NULL},
      {"values[1:0]", "1 to 0 is no range", NULL},
      {"(1+2)@2", "only what is in memory", NULL},
      {"values[0]@0", "is no number of elements", NULL},
      {0},
   };
   expect_errors(*state, refused, 0);
}

/* Without a wave, what can be said of a condition: nothing is read, and what depends on values is not judged. */
static void
test_checks(void **state)
{
   static const char *const fine[] = {
      "acc == 3",
      "/x acc",
      "blade.height > pair[acc].height",
      "v.x > 1 && any(v2 == v2)",
      "head > values[acc]",
      "$v0 == 7 || $mine",
      "gone.height == 1",
      "1 / 0",
      "values[99] > 0",
      "gl_WorkGroupID.x == 2",
      "sizeof(Blade) == 16",
      "(Blade *)$s[2:3]",
      "pc.list->next->number > 2",
      "imageLoad(texels, ivec3(1)).x == 0u",
      "%17 == 3",
   };
   static const struct expectation refused[] = {
      {"nope == 1", "no \"nope\" in this scope (column 1)", NULL},
      {"acc == 1 && (nope > 2)", "no \"nope\" in this scope (column 14)", NULL},
      {"false && nope", "no \"nope\" in this scope", NULL},
      {"blade.nope == 1", "Blade has no member \"nope\"", NULL},
      {"pair[0].nope == 1", "Blade has no member \"nope\"", NULL},
      {"pc.list->next->nope > 2", "Node has no member \"nope\"", NULL},
      {"nope(acc)", "no builtin function nope()", NULL},
      {"max(nope, 1)", "no \"nope\"", NULL},
      {"acc = 3", "an assignment", NULL},
      {"acc ==", "a value expected at the end", NULL},
      {0},
   };
   const struct hdb_context *context = &((struct fixture *)*state)->context;
   const struct hdb_shader *shader = context->wave->shader;
   unsigned wrong = 0;
   for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
      char *error;
      if (hdb_expr_check(context->symbols, shader, 8, fine[i], &error))
         print_error("%s: error: %s\n", fine[i], error);
      wrong += error != NULL;
      free(error);
   }
   for (const struct expectation *e = refused; e->text; e++) {
      char *error;
      if (!hdb_expr_check(context->symbols, shader, 8, e->text, &error) || !strstr(error, e->expected)) {
         print_error("%s: %s; an error with \"%s\" expected\n", e->text, error ? error : "fine", e->expected);
         wrong++;
      }
      free(error);
   }
   assert_int_equal(wrong, 0);
   assert_int_equal(fake_memory_reads() + fake_look_ups(), 0);
}

/* Everything has an end: depth, length, memory, output. */
static void
test_limits(void **state)
{
   struct fixture *fixture = *state;
   static const char *const units[] = {"(",    "-",    "!",  "v[", "1+", "1?",   "{float}",
                                       "abs(", "1?1:", "f=", "*",  "&",  "$x=(", "(int)"};
   char text[6000];
   for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
      for (size_t size = 100; size < sizeof(text); size += 1900) {
         size_t length = strlen(units[u]);
         for (size_t i = 0; i < size; i++)
            text[i] = units[u][i % length];
         text[size - size % length] = 0;
         strcat(text, "1");
         struct hdb_expr_request request = request_of(fixture, text);
         struct hdb_expr_result result;
         char *error;
         if (hdb_expr_evaluate(&request, &result, &error))
            assert_non_null(error);
         free(error);
         hdb_expr_result_finish(&result);
      }
   }
   struct hdb_expr_request request = request_of(fixture, "{int8_t}0x100800@2000000000");
   struct hdb_expr_result result;
   char *error;
   assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
   assert_true(strlen(result.value) < 100000);
   assert_non_null(strstr(result.value, "repeats"));
   hdb_expr_result_finish(&result);
   request.text = "$x = {Field}0x100200@1000000";
   assert_int_not_equal(hdb_expr_evaluate(&request, &result, &error), 0);
   assert_non_null(strstr(error, "too many to keep"));
   free(error);
}

static void
test_running(void **state)
{
   struct fixture *fixture = *state;
   fixture->context.wave->run = HDB_WAVE_RUNNING;
   static const struct expectation refused[] = {{"f", "wave 7 is running", NULL}, {0}};
   expect_errors(fixture, refused, 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      TEST(errors),
      TEST(checks),
      TEST(limits),
      TEST(running),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
