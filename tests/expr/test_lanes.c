/* SPDX-License-Identifier: MIT */
/* Expressions in all lanes at once. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
test_lanes(void **state)
{
   struct fixture *fixture = *state;
   char *values[64], *error;
   struct hdb_expr_request request = request_of(fixture, "acc * 2");
   assert_int_equal(hdb_expr_lanes(&request, values, &error), 0);
   for (uint32_t lane = 0; lane < 64; lane++) {
      char expected[16];
      snprintf(expected, sizeof(expected), "%d", ((int)lane - 3) * 2);
      if (0xffff00ffu >> (lane & 31) & 1 && lane < 32)
         assert_string_equal(values[lane], expected);
      else
         assert_null(values[lane]);
      free(values[lane]);
   }
   request.text = "values[acc]"; /* out of range in some */
   assert_int_equal(hdb_expr_lanes(&request, values, &error), 0);
   assert_non_null(strstr(values[0], "out of range"));
   assert_string_equal(values[4], "11");
   for (uint32_t lane = 0; lane < 64; lane++)
      free(values[lane]);
   request.text = "nope";
   assert_int_not_equal(hdb_expr_lanes(&request, values, &error), 0);
   assert_non_null(strstr(error, "no \"nope\""));
   free(error);
   request.text = "f = 3";
   assert_int_not_equal(hdb_expr_lanes(&request, values, &error), 0);
   free(error);
}

static void
test_where(void **state)
{
   struct fixture *fixture = *state;
   uint64_t lanes;
   char *error;
   struct hdb_expr_request request = request_of(fixture, "acc > 2 && acc < 20");
   assert_int_equal(hdb_expr_where(&request, &lanes, &error), 0);
   assert_int_equal(lanes, 0x7f00c0);
   request.text = "v";
   assert_int_not_equal(hdb_expr_where(&request, &lanes, &error), 0);
   assert_non_null(strstr(error, "condition"));
   free(error);
}

static void
test_statistics(void **state)
{
   struct fixture *fixture = *state;
   struct hdb_expr_statistics statistics;
   char *error;
   struct hdb_expr_request request = request_of(fixture, "acc == 1 ? nan : acc == 2 ? inf : float(acc)");
   assert_int_equal(hdb_expr_statistics(&request, &statistics, &error), 0);
   assert_int_equal(statistics.components, 1);
   assert_int_equal(statistics.lanes, 24);
   assert_int_equal(statistics.of[0].nans, 1);
   assert_int_equal(statistics.of[0].infinities, 1);
   assert_int_equal(statistics.of[0].numbers, 23);
   assert_int_equal(statistics.of[0].distinct, 24);
   assert_string_equal(statistics.of[0].least, "-3");
   assert_string_equal(statistics.of[0].most, "inf");
   request.text = "vec2(acc, 1)";
   assert_int_equal(hdb_expr_statistics(&request, &statistics, &error), 0);
   assert_int_equal(statistics.components, 2);
   assert_string_equal(statistics.of[0].mean, "13.833333"); /* of -3..4 and 13..28 */
   assert_string_equal(statistics.of[0].most, "28");
   assert_int_equal(statistics.of[1].distinct, 1);
}

static void
test_all_lanes_set(void **state)
{
   struct fixture *fixture = *state;
   static const struct expectation all[] = {{"/lanes f = acc * 2", "4", NULL}, {0}};
   static const struct expectation other[] = {{"f", "34", NULL}, {0}};
   static const struct expectation off[] = {
      {"f", "1.5", NULL}, {"/lanes scalar = 77", "77", NULL}, {"scalar", "77", NULL}, {0}};
   static const struct expectation vector[] = {
      {"$v2[8:17]", "{0x2008, 0x2009, 0x200a, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x7, 0x7}", NULL}, {0}};
   expect(fixture, all);
   fixture->context.lane = 20;
   expect(fixture, other);
   fixture->context.lane = 9;
   expect(fixture, off);
   struct hdb_expr_request request = request_of(fixture, "/lanes $v2 = 7");
   struct hdb_expr_result result;
   char *error;
   assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
   hdb_expr_result_finish(&result);
   expect(fixture, vector);
}

/* What all lanes look at is read once, what each has of its own for each. */
static void
test_shared_objects(void **state)
{
   struct fixture *fixture = *state;
   struct hdb_expr_request request = request_of(fixture, "values");
   struct hdb_expr_result one;
   char *values[64], *error;
   unsigned before = fake_memory_reads();
   assert_int_equal(hdb_expr_evaluate(&request, &one, &error), 0);
   hdb_expr_result_finish(&one);
   unsigned once = fake_memory_reads() - before;
   assert_int_equal(hdb_expr_lanes(&request, values, &error), 0);
   assert_int_equal(fake_memory_reads() - before, 2 * once);
   for (unsigned lane = 0; lane < 64; lane++) {
      if (values[lane])
         assert_string_equal(values[lane], "{10, 11, 12, 13, 14, 15}");
      free(values[lane]);
   }
   request.text = "values[gl_LocalInvocationID.x % 2]";
   assert_int_equal(hdb_expr_lanes(&request, values, &error), 0);
   assert_string_equal(values[0], "10");
   assert_string_equal(values[1], "11");
   assert_string_equal(values[2], "10");
   for (unsigned lane = 0; lane < 64; lane++)
      free(values[lane]);
}

static unsigned
count_look_ups(struct fixture *fixture, const char *text, uint64_t expected)
{
   struct hdb_expr_request request = request_of(fixture, text);
   uint64_t lanes;
   char *error;
   unsigned before = fake_look_ups();
   assert_int_equal(hdb_expr_where(&request, &lanes, &error), 0);
   assert_int_equal(lanes, expected);
   return fake_look_ups() - before;
}

/* Where a variable is, is found once for all lanes, also where it is nowhere; only builtins are in each somewhere else.
 */
static void
test_looked_up_once(void **state)
{
   struct fixture *fixture = *state;
   assert_int_equal(count_look_ups(fixture, "acc == 4 || acc + 3 == 20", 1 << 7 | 1 << 20), 1);
   assert_int_equal(count_look_ups(fixture, "values[1] == 11 && acc == 4", 1 << 7), 2);
   assert_int_equal(count_look_ups(fixture, "acc == 4 || gone.height == 1", 1 << 7), 2);
   assert_int_equal(count_look_ups(fixture, "gl_LocalInvocationID.x == 5", 1 << 5), 24);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      TEST(lanes), TEST(where), TEST(statistics), TEST(all_lanes_set), TEST(shared_objects), TEST(looked_up_once),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
