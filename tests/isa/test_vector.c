/* SPDX-License-Identifier: MIT */
/*
 * The vector ALU with values computed by hand: each line runs one instruction that writes v10 (and v11) in waves of 32
 * and 64 lanes, with the functions for any x86-64 and those for AVX2, every second lane on.
 */
#include <stdio.h>
#include <string.h>

#include "wave_box.h"

struct line {
   const char *text;
   uint32_t v[6]; /* v0..v5 */
   uint32_t expected, expected_high;
   bool wide; /* v11 counts, too */
};

#define F(x)       \
   ((union {       \
       float f;    \
       uint32_t u; \
    }){.f = (x)}   \
       .u)
#define D(x)                 \
   (uint32_t)((union {       \
                 double d;   \
                 uint64_t u; \
              }){.d = (x)}   \
                 .u)
#define DH(x)                \
   (uint32_t)((union {       \
                 double d;   \
                 uint64_t u; \
              }){.d = (x)}   \
                 .u >>       \
              32)
#define NAN_F 0x7fc00000
#define INF_F 0x7f800000

static bool
lane_is_on(unsigned lane)
{
   return lane % 2 == 0;
}

static void
run_lines(bool wave64)
{
   const struct line lines[] = {
#define LINE(text, expected, ...) {text, {__VA_ARGS__}, expected, 0, false},
#define WIDE(text, low, high, ...) {text, {__VA_ARGS__}, low, high, true},
#include "vector_lines.inc"
   };
   const size_t count_of_lines = sizeof lines / sizeof lines[0];
   static uint32_t words[2048];
   static char text[32768];
   size_t used = 0;
   /* Each line ends at an s_endpgm. */
   for (size_t i = 0; i < count_of_lines; i++)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s\ns_endpgm\n", lines[i].text);
   unsigned count = box_assemble(text, wave64, words, sizeof words / 4), at = 0;

   for (size_t i = 0; i < count_of_lines; i++) {
      unsigned begin = at;
      while (words[at] != 0xbfb00000)
         at++;
      box_reset(&box, wave64);
      for (unsigned v = 0; v < 6; v++) {
         for (unsigned l = 0; l < 64; l++)
            box.vgpr[v][l] = lines[i].v[v];
      }
      box.wave.sreg[SREG_EXEC_LO] = 0x55555555;
      box.wave.sreg[SREG_EXEC_HI] = wave64 ? 0x55555555 : 0;
      if (box_run(&box, words + begin, at - begin) != ISA_END)
         fail_msg("\"%s\" did not run to the end", lines[i].text);
      for (unsigned l = 0; l < 64; l++) {
         bool on = lane_is_on(l) && l < (wave64 ? 64 : 32);
         uint32_t low = on ? lines[i].expected : 0xdbdbdbdb;
         uint32_t high = on && lines[i].wide ? lines[i].expected_high : 0xdbdbdbdb;
         if (box.vgpr[10][l] != low || box.vgpr[11][l] != high)
            fail_msg("\"%s\", %u lanes, lane %u: %08x %08x instead of %08x %08x", lines[i].text, wave64 ? 64 : 32, l,
                     box.vgpr[11][l], box.vgpr[10][l], high, low);
      }
      at++;
   }
   assert_int_equal(at, count);
}

static void
test_lines(void **state)
{
   run_lines(true);
   run_lines(false);
}

/* Two instructions of one bundle exchange registers; only waves of 32 lanes have them. */
static void
test_dual(void **state)
{
   box_reset(&box, false);
   for (unsigned l = 0; l < 32; l++) {
      box.vgpr[0][l] = 10 + l;
      box.vgpr[1][l] = 100 + l;
   }
   box.wave.sreg[SREG_EXEC_LO] = 0xffff;
   box_run_text(&box, "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0\n"
                      "v_dual_mov_b32 v2, 0x42280000 :: v_dual_add_nc_u32 v3, 5, v1\n");
   for (unsigned l = 0; l < 32; l++) {
      assert_int_equal(box.vgpr[0][l], l < 16 ? 100 + l : 10 + l);
      assert_int_equal(box.vgpr[1][l], l < 16 ? 10 + l : 100 + l);
      assert_int_equal(box.vgpr[2][l], l < 16 ? 0x42280000 : 0xdbdbdbdb);
      assert_int_equal(box.vgpr[3][l], l < 16 ? 15 + l : 0xdbdbdbdb);
   }
}

static uint64_t
pair(unsigned sgpr)
{
   return box.wave.sreg[sgpr] | (uint64_t)box.wave.sreg[sgpr + 1] << 32;
}

static void
count_lanes(unsigned vgpr)
{
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[vgpr][l] = l;
}

/* A comparison clears the bits of lanes that are off; v_cmpx writes EXEC alone. */
static void
test_compare(void **state)
{
   box_reset(&box, true);
   count_lanes(0);
   box.wave.sreg[SREG_EXEC_LO] = 0x0000ffff;
   box.wave.sreg[SREG_EXEC_HI] = 0xffff0000;
   box_run_text(&box, "v_cmp_lt_u32 vcc, 7, v0\nv_cmp_gt_i32_e64 s[10:11], 60, v0\nv_cmp_t_u32 s[12:13], v0, v0\n");
   assert_int_equal(pair(SREG_VCC_LO), 0xffff00000000ff00);
   assert_int_equal(pair(10), 0x0fff00000000ffff);
   assert_int_equal(pair(12), 0xffff00000000ffff);

   box_run_text(&box, "v_cmpx_lt_u32 7, v0\n");
   assert_int_equal(pair(SREG_EXEC_LO), 0xffff00000000ff00);
   assert_int_equal(pair(SREG_VCC_LO), 0xffff00000000ff00);

   box_reset(&box, false);
   count_lanes(0);
   box_run_text(&box, "v_cmp_lt_u32 vcc_lo, 7, v0\n");
   assert_int_equal(box.wave.sreg[SREG_VCC_LO], 0xffffff00);
   assert_int_equal(box.wave.sreg[SREG_VCC_HI], 0xdbdbdbdb);
}

static void
test_compare_float(void **state)
{
   static const struct {
      const char *name;
      bool less, equal, greater, unordered;
   } conditions[] = {
      {"lt", true, false, false, false}, {"eq", false, true, false, false}, {"le", true, true, false, false},
      {"gt", false, false, true, false}, {"lg", true, false, true, false},  {"ge", false, true, true, false},
      {"o", true, true, true, false},    {"u", false, false, false, true},  {"nge", true, false, false, true},
      {"nlg", false, true, false, true}, {"ngt", true, true, false, true},  {"nle", false, false, true, true},
      {"neq", true, false, true, true},  {"nlt", false, true, true, true},  {"t", true, true, true, true},
      {"f", false, false, false, false},
   };
   const uint32_t pairs[4][2] = {{F(1), F(2)}, {F(2), F(2)}, {F(3), F(2)}, {NAN_F, F(2)}};
   for (unsigned c = 0; c < sizeof conditions / sizeof conditions[0]; c++) {
      char text[64];
      box_reset(&box, true);
      for (unsigned l = 0; l < 4; l++) {
         box.vgpr[0][l] = pairs[l][0];
         box.vgpr[1][l] = pairs[l][1];
      }
      box.wave.sreg[SREG_EXEC_LO] = 15;
      box.wave.sreg[SREG_EXEC_HI] = 0;
      snprintf(text, sizeof text, "v_cmp_%s_f32 vcc, v0, v1\n", conditions[c].name);
      box_run_text(&box, text);
      uint64_t expected =
         conditions[c].less | conditions[c].equal << 1 | conditions[c].greater << 2 | conditions[c].unordered << 3;
      assert_int_equal(pair(SREG_VCC_LO), expected);
   }
}

static void
test_class(void **state)
{
   const uint32_t values[10] = {0x7f800001, NAN_F, 0xff800000, F(-1), 0x80000001, 0x80000000, 0, 1, F(1), INF_F};
   box_reset(&box, true);
   for (unsigned l = 0; l < 10; l++) {
      box.vgpr[0][l] = values[l];
      box.vgpr[1][l] = 1u << l;
   }
   box.wave.sreg[SREG_EXEC_LO] = 0x3ff;
   box.wave.sreg[SREG_EXEC_HI] = 0;
   box_run_text(&box, "v_cmp_class_f32 vcc, v0, v1\n");
   assert_int_equal(pair(SREG_VCC_LO), 0x3ff);
}

static void
test_carry(void **state)
{
   box_reset(&box, true);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[0][l] = l & 1 ? 0xffffffff : 5;
      box.vgpr[1][l] = 1;
      box.vgpr[2][l] = 10;
      box.vgpr[3][l] = 20;
   }
   box.wave.sreg[SREG_EXEC_HI] = 0;
   box_run_text(&box, "v_add_co_u32 v0, vcc, v0, v1\n" /* the destination is a source */
                      "v_add_co_ci_u32 v2, vcc, v2, v3, vcc\n"
                      "v_sub_co_u32 v4, s[10:11], v1, v3\n"
                      "v_cndmask_b32 v5, v2, v3, s[10:11]\n");
   assert_int_equal(pair(SREG_VCC_LO), 0);
   assert_int_equal(pair(10), 0xffffffff);
   assert_int_equal(box.vgpr[0][0], 6);
   assert_int_equal(box.vgpr[0][1], 0);
   assert_int_equal(box.vgpr[2][0], 30);
   assert_int_equal(box.vgpr[2][1], 31);
   assert_int_equal(box.vgpr[2][32], 10);
   assert_int_equal(box.vgpr[4][3], (uint32_t)-19);
   assert_int_equal(box.vgpr[5][3], 20);
}

/* These pay no attention to EXEC. */
static void
test_lane_access(void **state)
{
   box_reset(&box, true);
   count_lanes(0);
   box.wave.sreg[SREG_EXEC_LO] = 0;
   box.wave.sreg[SREG_EXEC_HI] = 0xf0;
   box.wave.sreg[4] = 77;
   box_run_text(&box, "v_readfirstlane_b32 s10, v0\nv_readlane_b32 s11, v0, 17\nv_writelane_b32 v1, s4, 5\n"
                      "v_mbcnt_lo_u32_b32 v2, -1, 0\nv_mbcnt_hi_u32_b32 v2, -1, v2\n"
                      "s_mov_b64 exec, 0\nv_readfirstlane_b32 s12, v0\n");
   assert_int_equal(box.wave.sreg[10], 36);
   assert_int_equal(box.wave.sreg[11], 17);
   assert_int_equal(box.vgpr[1][5], 77);
   assert_int_equal(box.vgpr[1][4], 0xdbdbdbdb);
   assert_int_equal(box.vgpr[2][38], 38);
   assert_int_equal(box.wave.sreg[12], 0);
}

/* Registers beyond what is allocated: v0 is read instead, writes are dropped. */
static void
test_out_of_range(void **state)
{
   box_reset(&box, true);
   count_lanes(0);
   box_run_text(&box, "v_mov_b32 v1, v200\nv_mov_b32 v201, v0\nv_add_f64 v[200:201], v[0:1], v[0:1]\n");
   for (unsigned l = 0; l < 64; l++)
      assert_int_equal(box.vgpr[1][l], l);
}

static void
expect_lanes(const char *text, const int *expected, unsigned count)
{
   box_reset(&box, true);
   count_lanes(0);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[10][l] = 1000 + l;
   box.wave.sreg[4] = 0x76543210;
   box.wave.sreg[5] = 0xfedcba98;
   box.wave.sreg[SREG_EXEC_LO] = 0xfffffffb; /* lane 2 is off */
   box_run_text(&box, text);
   for (unsigned l = 0; l < count; l++) {
      uint32_t value = expected[l] == -1 ? 1000 + l : (uint32_t)expected[l];
      if (box.vgpr[10][l] != value)
         fail_msg("%s: lane %u is %u instead of %u", text, l, box.vgpr[10][l], value);
   }
}

/* -1: left alone. Lane 2 is off: it is not written, and not read without fi. */
static void
test_dpp(void **state)
{
#define EXPECT(text, ...) \
   expect_lanes(text "\n", (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
   EXPECT("v_mov_b32_dpp v10, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", 1, 0, -1, -1, 5, 4, 7, 6);
   EXPECT("v_mov_b32_dpp v10, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf fi:1", 1, 0, -1, 2, 5, 4, 7, 6);
   EXPECT("v_mov_b32_dpp v10, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:1", 1, 0, -1, 0, 5, 4, 7, 6);
   EXPECT("v_mov_b32_dpp v10, v0 row_shr:4 row_mask:0xf bank_mask:0xf", -1, -1, -1, -1, 0, 1, -1, 3, 4);
   EXPECT("v_mov_b32_dpp v10, v0 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1", 1, 0, -1, 4, 5, 6, 7, 8, 9, 10, 11,
          12, 13, 14, 15, 0, 17);
   EXPECT("v_mov_b32_dpp v10, v0 row_ror:1 row_mask:0xf bank_mask:0x1", 15, 0, -1, -1, -1, -1, -1);
   EXPECT("v_mov_b32_dpp v10, v0 row_mirror row_mask:0xd bank_mask:0xf", 15, 14, -1, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3,
          -1, 1, 0, -1, -1);
   EXPECT("v_mov_b32_dpp v10, v0 row_half_mirror row_mask:0xf bank_mask:0xf", 7, 6, -1, 4, 3, -1, 1, 0, 15);
   EXPECT("v_mov_b32_dpp v10, v0 row_share:3 row_mask:0xf bank_mask:0xf", 3, 3, -1, 3);
   EXPECT("v_mov_b32_dpp v10, v0 row_xmask:8 row_mask:0xf bank_mask:0xf", 8, 9, -1, 11, 12, 13, 14, 15, 0, 1, -1, 3);
   EXPECT("v_mov_b32_dpp v10, v0 dpp8:[7,6,5,4,3,2,1,0]", 7, 6, -1, 4, 3, 0, 1, 0, 15);
   EXPECT("v_mov_b32_dpp v10, v0 dpp8:[7,6,5,4,3,2,1,0] fi:1", 7, 6, -1, 4, 3, 2, 1, 0, 15);
   EXPECT("v_permlane16_b32 v10, v0, s4, s5", 0, 1, -1, 3, 4, 5);
   EXPECT("v_permlanex16_b32 v10, v0, s4, s5", 16, 17, -1, 19, 20, 21);
   EXPECT("v_permlane64_b32 v10, v0", 32, 33, -1, 35, 36, 37);
#undef EXPECT
}

/* Rounding by MODE, for 32 bits apart from 64 and 16. */
static void
test_rounding(void **state)
{
   /* A little more, and a little less, than 1. */
   const struct {
      uint32_t mode, single[2], half[2];
   } modes[] = {
      {0xf0, {0x3f800000, 0x3f800000}, {0x3c00, 0x3c00}}, {0xf5, {0x3f800001, 0x3f800000}, {0x3c01, 0x3c00}},
      {0xfa, {0x3f800000, 0x3f7fffff}, {0x3c00, 0x3bff}}, {0xff, {0x3f800000, 0x3f7fffff}, {0x3c00, 0x3bff}},
      {0xf4, {0x3f800000, 0x3f800000}, {0x3c01, 0x3c00}}, {0xf1, {0x3f800001, 0x3f800000}, {0x3c00, 0x3c00}},
   };
   for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++) {
      box_reset(&box, true);
      box.wave.mode = modes[i].mode;
      for (unsigned l = 0; l < 64; l++) {
         box.vgpr[0][l] = F(0x1p-30f);
         box.vgpr[1][l] = 0x0400;
      }
      box_run_text(&box,
                   "v_add_f32 v10, 1.0, v0\nv_sub_f32 v11, 1.0, v0\nv_add_f16 v12, 1.0, v1\nv_sub_f16 v13, 1.0, v1\n");
      assert_int_equal(box.vgpr[10][7], modes[i].single[0]);
      assert_int_equal(box.vgpr[11][7], modes[i].single[1]);
      assert_int_equal(box.vgpr[12][7] & 0xffff, modes[i].half[0]);
      assert_int_equal(box.vgpr[13][7] & 0xffff, modes[i].half[1]);
   }
   /* With denormals kept, and output multipliers ignored then. */
   box_reset(&box, true);
   box.wave.mode = 0xf0;
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[0][l] = 0x00800000;
      box.vgpr[1][l] = F(0.5f);
   }
   box_run_text(&box, "v_mul_f32 v10, v0, v1\nv_mul_f32_e64 v11, v0, v1 mul:2\n");
   assert_int_equal(box.vgpr[10][0], 0x00400000);
   assert_int_equal(box.vgpr[11][0], 0x00400000);
}

/* true16: the upper halves of v0 to v127 in 32-bit encodings. */
static void
test_true16(void **state)
{
   box_reset(&box, true);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[0][l] = 0x40003c00;
      box.vgpr[1][l] = 0x44003c00;
   }
   /* v_add_f16 v10.h, v0.h, v1.l */
   const uint32_t words[] = {0x64000000 | (128 + 10) << 17 | 1 << 9 | (256 + 128)};
   assert_int_equal(box_run(&box, words, 1), ISA_END);
   assert_int_equal(box.vgpr[10][5], 0x4200dbdb);
}

static void
test_indexed(void **state)
{
   box_reset(&box, true);
   for (unsigned v = 0; v < 8; v++) {
      for (unsigned l = 0; l < 64; l++)
         box.vgpr[v][l] = v * 100 + l;
   }
   box.wave.sreg[SREG_M0] = 3;
   box_run_text(&box, "v_movrels_b32 v10, v1\nv_movreld_b32 v11, v2\nv_swap_b32 v5, v6\n");
   assert_int_equal(box.vgpr[10][9], 409);
   assert_int_equal(box.vgpr[14][9], 209);
   assert_int_equal(box.vgpr[5][1], 601);
   assert_int_equal(box.vgpr[6][1], 501);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines),         cmocka_unit_test(test_dual),         cmocka_unit_test(test_compare),
      cmocka_unit_test(test_compare_float), cmocka_unit_test(test_class),        cmocka_unit_test(test_carry),
      cmocka_unit_test(test_lane_access),   cmocka_unit_test(test_out_of_range), cmocka_unit_test(test_dpp),
      cmocka_unit_test(test_rounding),      cmocka_unit_test(test_true16),       cmocka_unit_test(test_indexed),
   };
   int failed = cmocka_run_group_tests_name("this CPU", tests, box_setup, box_teardown);
   isa_use_baseline(true);
   return failed + cmocka_run_group_tests_name("any x86-64", tests, box_setup, box_teardown);
}
