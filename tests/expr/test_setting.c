/* SPDX-License-Identifier: MIT */
/* What can be set, and what is kept. */
#include "fixture.h"

static void
test_assignment(void **state)
{
   static const struct expectation list[] = {
      {"f = 2", "2", "float"},
      {"f", "2", NULL},
      {"f += 0.5", "2.5", NULL},
      {"v.y = 9", "9", NULL},
      {"v", "(1, 9, 3)", NULL},
      {"v.xz = vec2(5, 6)", "(5, 6)", NULL},
      {"v.zx[1] = 7", "7", NULL},
      {"v", "(7, 9, 6)", NULL},
      {"v = w", "(0.5, -1, 2)", NULL},
      {"v *= 2", "(1, -2, 4)", NULL},
      {"v = 3", "(3, 3, 3)", NULL},
      {"m[1] = vec3(0)", "(0, 0, 0)", NULL},
      {"m[2][0] = -1", "-1", NULL},
      {"m", "{[0] = (1, 2, 3), [1] = (0, 0, 0), [2] = (-1, 8, 10)}", NULL},
      {"small = int8_t(300)", "44", NULL},
      {"small = -128", "-128", NULL},
      {"small = 0xff", "-1", NULL},
      {"u = 0xffffffff", "4294967295", NULL},
      {"d = 0.1", "0.1", NULL}, /* as a float it is 0.10000000149011612 */
      {"d = 0.1f", "0.10000000149011612", NULL},
      {"d = -1e300", "-1e+300", NULL},
      {"h = 0.1", "0.1", NULL},
      {"d = 1.0 / 3.0lf", "0.3333333333333333", NULL},
      {"flag = 0", "false", NULL},
      {"mode = -1", "MODE_BACK", NULL},
      {"pair = Blade[](Blade(vec3(9), 8), pair[1])",
       "{{root = (9, 9, 9), height = 8}, {root = (2, 2, 2), height = 20}}", NULL},
      {"tile[1] = float[4](1, 2, 3, 4)", "{1, 2, 3, 4}", NULL},
      {"blade = pair[1]", "{root = (2, 2, 2), height = 20}", NULL},
      {"pair[0].root.yx = v2", "(3, 4)", NULL},
      {"pair[0].root", "(4, 3, 9)", NULL},
      {"values[5] = 1.25", "1.25", NULL},
      {"values", "{10, 11, 12, 13, 14, 1.25}", NULL},
      {"pc.grass.data[2].height = acc", "2", NULL},
      {"pc.grass.data[2]", "{root = (2, 2, 2), height = 2}", NULL},
      {"{float}0x100404 = 99", "99", NULL},
      {"values[0]", "99", NULL},
      {"tile[3][3] = 0.5", "0.5", NULL},
      {"tile[3]", "{12, 13, 14, 0.5}", NULL},
      {"blocks[1].rows[0] = v2.xyx", "(3, 4, 3)", NULL},
      {"blocks[1].rows", "{[0] = (3, 4, 3), [1] = (102, 105, 108), [2] = (103, 106, 109)}", NULL},
      {"split.x = 1", "1", NULL},
      {"split.z = false", "false", NULL},
      {"split", "{x = 1, y = <optimized out>, z = false}", NULL},
      {"pc.list.next.next = pc.list", "(Node *) 0x100100", NULL},
      {"pc.list.next.next.next.number", "2", NULL},
      {0},
   };
   static const struct expectation refused[] = {
      {"small = 300", "300 does not fit 8 bits; int8_t() cuts it off (column 9)", NULL},
      {"small = -129", "-129 does not fit 8 bits", NULL},
      {"u = 4294967296", "4294967296 does not fit 32 bits", NULL},
      {"f = 1e300", "1e+300 does not fit a 32-bit float", NULL},
      {"h = 70000.0", "70000 does not fit a 16-bit float", NULL},
      {"gone = blade", "it can't be set: optimized out", NULL},
      {"gone.height = 1", "it can't be set: optimized out", NULL},
      {"split.y = 1", "optimized out", NULL},
      {"scalar = 1", "all lanes share it", NULL},
      {"computed = 1", "it is computed from others", NULL},
      {"pc.n = 1", "the push constants can't be set", NULL},
      {"gl_LocalInvocationID.x = 1", "can't be set", NULL},
      {"image = 1", "can't be set", NULL},
      {"1 = 2", "only variables", NULL},
      {"v = v2", "a vec2 can't be assigned to a vec3", NULL},
      {"blade = 1", "a int can't be assigned to a Blade", NULL},
      {"blade = v", "can't be assigned", NULL},
      {"f = blade", "Blade is no number", NULL},
      {"v.xx = v2", "a component would be set twice", NULL},
      {"v4.zyxz += 1", "a component would be set twice", NULL},
      {"values[6] = 1", "6 is out of range: there are 6 elements in buffer \"numbers\"", NULL},
      {"{float}0xdead0000 = 1", "not mapped", NULL},
      {0},
   };
   static const struct expectation pure[] = {{"f = 2", "nothing is changed by looking", NULL},
                                             {"1 + (f = 2)", "nothing is changed", NULL},
                                             {"$x = 1", "nothing is changed", NULL},
                                             {"$s1 = 1", "nothing is changed", NULL},
                                             {0}};
   expect(*state, list);
   expect_errors(*state, refused, 0);
   expect_errors(*state, pure, HDB_EXPR_PURE);
}

static void
test_registers(void **state)
{
   static const struct expectation list[] = {
      {"$s3", "0x103", NULL},
      {"/d $s3", "259", NULL},
      {"$s[4:6]", "{0x104, 0x105, 0x106}", NULL},
      {"$v1[5]", "0x1005", NULL},
      {"$v1[5] = 1.5", "1.5", NULL},
      {"$v1[5]", "0x3fc00000", NULL},
      {"/f $v1[5]", "1.5", NULL},
      {"$v1 + 1", "1069547521", NULL},
      {"uintBitsToFloat($v1)", "1.5", NULL},
      {"$s3 = -1", "0xffffffff", NULL},
      {"/u $s3", "4294967295", NULL},
      {"$s3 == 0xffffffff", "true", NULL},
      {"/x $pc | 0xffffffff", "0xffffffff", NULL},
      {"$exec", "0x17e", NULL},
      {"$exec = 0xf0", "0xf0", NULL},
      {"$vcc", "0x16a", NULL},
      {"$vcc_lo", "0x16a", NULL},
      {"$vcc_hi", "0x16b", NULL},
      {"$exec_lo = 0x17e", "0x17e", NULL},
      {"$exec", "0x17e", NULL},
      {"$exec_hi", "0x17f", NULL},
      {"$vcc_hi = 7", "0x7", NULL},
      {"$vcc_hi", "0x7", NULL},
      {"$vcc_lo = 1.0", "1", NULL},
      {"$vcc_lo", "0x3f800000", NULL},
      {"$m0", "0x17d", NULL},
      {"$pc", "0x2008", NULL},
      {"$pc = 0x2010", "0x2010", NULL},
      {"$scc", "1", NULL},
      {"$scc = 0", "0", NULL},
      {"$v0[3:5]", "{0x3, 0x4, 0x5}", NULL},
      {0},
   };
   static const struct expectation refused[] = {
      {"$v9", "VGPRs 0 to 7", NULL},
      {"$v1[32]", "lanes 0 to 31", NULL},
      {"$v1[-1]", "lanes 0 to 31", NULL},
      {"$s16", "SGPRs 0 to 15", NULL},
      {"$s[3:1]", "is no range", NULL},
      {"$v1 = 1", "which lane", NULL},
      {"$s[0:1] = 1", "one register", NULL},
      {"$s1 = 0x100000000", "32 bits", NULL},
      {"$exec = 0x100000000", "32 bits", NULL},
      {"$scc = 2", "0 or 1", NULL},
      {"$mode = 1", "can only be read", NULL},
      {"$vcc_lo = 0x100000000", "32 bits", NULL},
      {"$pc = 0x2002", "0x2002 is not the start of an instruction; the nearest are 0x2000 and 0x2004", NULL},
      {"$pc = 0", "0x0 is not in the wave's shader", NULL},
      {0},
   };
   expect(*state, list);
   expect_errors(*state, refused, 0);
}

static void
test_convenience(void **state)
{
   static const struct expectation list[] = {
      {"$nothing", "void", NULL},
      {"$x = 3", "3", "int"},
      {"$x + 1", "4", NULL},
      {"$x = pair[1]", "{root = (2, 2, 2), height = 20}", "Blade"},
      {"$x.root.y", "2", NULL},
      {"$y = $x", "{root = (2, 2, 2), height = 20}", NULL},
      {"$l = *pc.list", "{next = (Node *) 0x100110, number = 1}", "Node"},
      {"$l.next.number", "2", NULL},
      {"$x = $x.height + ($x = 5)", "25", NULL},
      {"$i = 0", "0", NULL},
      {"values[$i += 1]", "11", NULL},
      {"values[$i += 1]", "12", NULL},
      {0},
   };
   static const struct expectation refused[] = {
      {"$nothing + 1", "no register has this name, and nothing has been assigned to it (column 1)", NULL},
      {"$1 = 2", "history", NULL},
      {"$1", "no $1", NULL},
      {"$$", "history", NULL},
      {"$$q", "no register or variable", NULL},
      {0},
   };
   expect(*state, list);
   expect_errors(*state, refused, 0);
}

static void
test_history(void **state)
{
   struct fixture *fixture = *state;
   static const char *const texts[] = {"acc", "f", "gone", "v"};
   for (uint32_t i = 0; i < 4; i++) {
      struct hdb_expr_request request = request_of(fixture, texts[i]);
      struct hdb_expr_result result;
      char *error;
      request.flags = HDB_EXPR_RECORD;
      assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
      assert_int_equal(result.history, i + 1);
      hdb_expr_result_finish(&result);
   }
   static const struct expectation list[] = {
      {"$", "(1, 2, 3)", "vec3"}, {"$$", "<optimized out>", NULL}, {"$$2", "1.5", NULL},
      {"$1", "2", "int"},         {"$1 + $2", "3.5", NULL},        {0},
   };
   expect(fixture, list);
}

/* Equal variables may be in one register. */
static void
test_sharers(void **state)
{
   static const struct expectation list[] = {
      {"split.x = 7", "twin", NULL}, {"twin = 8", "split", NULL}, {"split.z = false", "", NULL},
      {"f = 2", "", NULL},           {"twin + 1", "", NULL},      {0},
   };
   for (const struct expectation *e = list; e->text; e++) {
      struct hdb_expr_request request = request_of(*state, e->text);
      struct hdb_expr_result result;
      char *error;
      assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
      assert_string_equal(result.sharers ? result.sharers : "", e->expected);
      hdb_expr_result_finish(&result);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      TEST(assignment), TEST(registers), TEST(convenience), TEST(history), TEST(sharers),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
