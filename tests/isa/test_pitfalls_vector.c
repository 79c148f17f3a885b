/* SPDX-License-Identifier: MIT */
/* Corners of the vector ALU that emulators have got wrong, one test each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "encodings.h"
#include "isa/half.h"
#include "wave_box.h"

#define F float_bits
#define MODE_KEEP 0x1f0 /* denormals kept, DX10_CLAMP */

static void
run(const char *text)
{
   assert_int_equal(box_run_text(&box, text), ISA_END);
}

static void
set(unsigned vgpr, uint32_t value)
{
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[vgpr][l] = value;
}

static void
fresh(uint32_t v0, uint32_t v1, uint32_t v2)
{
   box_reset(&box, true);
   set(0, v0);
   set(1, v1);
   set(2, v2);
}

/* What `text` leaves in v10. */
static uint32_t
result(const char *text, uint32_t v0, uint32_t v1, uint32_t v2)
{
   fresh(v0, v1, v2);
   run(text);
   return box.vgpr[10][7];
}

static uint32_t
result_in_mode(uint32_t mode, const char *text, uint32_t v0, uint32_t v1)
{
   fresh(v0, v1, 0);
   box.wave.mode = mode;
   run(text);
   return box.vgpr[10][7];
}

/* ---- masks ---- */

static void
test_compare_clears_inactive(void **state)
{
   fresh(1, 1, 0);
   box.wave.sreg[SREG_VCC_LO] = box.wave.sreg[SREG_VCC_HI] = ~0u;
   box.wave.sreg[SREG_EXEC_LO] = 0xff;
   box.wave.sreg[SREG_EXEC_HI] = 0x80000000;
   run("v_cmp_eq_u32 vcc, v0, v1\nv_cmp_eq_u32 s[10:11], v0, v1\n");
   assert_int_equal(box.wave.sreg[SREG_VCC_LO], 0xff);
   assert_int_equal(box.wave.sreg[SREG_VCC_HI], 0x80000000);
   assert_int_equal(box.wave.sreg[10], 0xff);
   assert_int_equal(box.wave.sreg[11], 0x80000000);
}

static void
test_cmpx_writes_exec_only(void **state)
{
   fresh(1, 2, 0);
   box.vgpr[1][3] = 1;
   box.wave.sreg[SREG_VCC_LO] = 0x1234;
   run("v_cmpx_eq_u32 v0, v1\n");
   assert_int_equal(box.wave.sreg[SREG_EXEC_LO], 8);
   assert_int_equal(box.wave.sreg[SREG_EXEC_HI], 0);
   assert_int_equal(box.wave.sreg[SREG_VCC_LO], 0x1234);
}

/* With no lane on, what writes SGPRs, one lane or a matrix still does. */
static void
test_exec_zero(void **state)
{
   fresh(5, 5, 0);
   box.wave.sreg[SREG_EXEC_LO] = box.wave.sreg[SREG_EXEC_HI] = 0;
   box.vgpr[0][0] = 77;
   box.vgpr[0][9] = 99;
   run("v_cmp_eq_u32 vcc, v0, v1\nv_readfirstlane_b32 s10, v0\nv_readlane_b32 s11, v0, 9\n"
       "v_writelane_b32 v10, 3, 4\nv_mov_b32 v11, 1\n");
   assert_int_equal(box.wave.sreg[SREG_VCC_LO], 0);
   assert_int_equal(box.wave.sreg[10], 77);
   assert_int_equal(box.wave.sreg[11], 99);
   assert_int_equal(box.vgpr[10][4], 3);
   assert_int_equal(box.vgpr[10][5], 0xdbdbdbdb);
   assert_int_equal(box.vgpr[11][0], 0xdbdbdbdb);
}

static void
test_dpp_keeps_and_zeroes(void **state)
{
   fresh(0, 0, 0);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = 100 + l;
   box.wave.sreg[SREG_EXEC_LO] = ~(1u << 2); /* lane 2 is off */
   run("v_mov_b32_dpp v10, v0 row_shr:1 row_mask:0xf bank_mask:0xf\n"
       "v_mov_b32_dpp v11, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1\n"
       "v_mov_b32_dpp v12, v0 row_shr:1 row_mask:0xf bank_mask:0xf fi:1\n"
       "v_mov_b32_dpp v13, v0 row_shr:1 row_mask:0xd bank_mask:0x7\n");
   assert_int_equal(box.vgpr[10][0], 0xdbdbdbdb); /* from outside of the row: kept */
   assert_int_equal(box.vgpr[11][0], 0);
   assert_int_equal(box.vgpr[10][3], 0xdbdbdbdb); /* from a lane that is off */
   assert_int_equal(box.vgpr[11][3], 0);
   assert_int_equal(box.vgpr[12][3], 102);
   assert_int_equal(box.vgpr[10][4], 103);
   assert_int_equal(box.vgpr[13][4], 103);
   assert_int_equal(box.vgpr[13][13], 0xdbdbdbdb); /* its bank is left out */
   assert_int_equal(box.vgpr[13][20], 0xdbdbdbdb); /* its row is */
}

/* ---- registers that are not there ---- */

static void
test_vgpr_out_of_range(void **state)
{
   fresh(11, 12, 13);
   set(3, 14);
   run("v_mov_b32 v10, v200\nv_mov_b32 v200, v1\nv_add_f64 v[63:64], v[0:1], v[2:3]\n");
   assert_int_equal(box.vgpr[10][0], 11);

   box_reset(&box, false);
   for (unsigned v = 0; v < 4; v++)
      set(v, 11 + v);
   run("v_dual_mov_b32 v10, v201 :: v_dual_mov_b32 v11, v202\n"); /* modulo 4 */
   assert_int_equal(box.vgpr[10][0], 12);
   assert_int_equal(box.vgpr[11][0], 13);
}

/* ---- floating point ---- */

static void
test_negated_zero(void **state)
{
   assert_int_equal(result("v_mul_f32_e64 v10, -v0, v1\n", 0, F(1), 0), 0x80000000);
   assert_int_equal(result("v_add_f32_e64 v10, -v0, -v1\n", 0, 0, 0), 0x80000000);
   assert_int_equal(result("v_max_f32_e64 v10, -v0, v1\n", 0, 0x80000000, 0), 0x80000000);
}

static void
test_fma_rounds_once(void **state)
{
   assert_int_equal(result("v_fma_f32 v10, v0, v1, v2\n", F(0x1.000002p0f), F(0x1.000002p0f), F(-0x1.000004p0f)),
                    F(0x1p-46f));
   /* Halfs: (1 + 2^-10)^2 - (1 + 2^-9) = 2^-20; and a sum that two roundings would get wrong. */
   assert_int_equal(result("v_fma_f16 v10, v0, v1, v2\n", 0x3c01, 0x3c01, 0xbc02) & 0xffff, 0x0010);
   assert_int_equal(result("v_fma_f16 v10, v0, v1, v2\n", 0x1001, 0x1001, 0x6801) & 0xffff, 0x6801);
   assert_int_equal(result("v_fma_f16 v10, v0, v1, v2\n", 0x7bff, 0x7bff, 0xfc00) & 0xffff, 0xfc00);
   assert_int_equal(result("v_fma_mix_f32 v10, v0, v1, v2 op_sel_hi:[1,1,0]\n", 0x3c01, 0x3c01, F(-0x1.008p0f)),
                    F(0x1p-20f));
}

static void
test_constants_of_packed(void **state)
{
   assert_int_equal(result("v_pk_add_f16 v10, v0, 1.0 op_sel_hi:[1,0]\n", 0x3c003c00, 0, 0), 0x40004000);
   assert_int_equal(result("v_pk_add_u16 v10, v0, 1 op_sel_hi:[1,0]\n", 0x00050007, 0, 0), 0x00060008);
   assert_int_equal(result("v_pk_add_u16 v10, v0, 1\n", 0x00050007, 0, 0), 0x00050008); /* its upper half is 0 */
}

static void
test_output_modifier(void **state)
{
   const char *text = "v_mul_f32_e64 v10, v0, v1 mul:2\n";
   assert_int_equal(result_in_mode(0x1c0, text, F(3), F(2)), F(12));
   assert_int_equal(result_in_mode(0x1f0, text, F(3), F(2)), F(6)); /* results may be denormal: not at all */
   assert_int_equal(result_in_mode(0x3c0, text, F(3), F(2)), F(6)); /* IEEE: neither */
   assert_int_equal(result_in_mode(0x1c0, text, 0x80000000, F(2)), 0);
   assert_int_equal(result_in_mode(0x140, "v_mul_f16_e64 v10, v0, v1 div:2\n", 0x4200, 0x4000) & 0xffff, 0x4200);
   assert_int_equal(result_in_mode(0x1c0, "v_mul_f16_e64 v10, v0, v1 div:2\n", 0x4200, 0x4000) & 0xffff, 0x4600);
}

static void
test_denormals_by_size(void **state)
{
   const uint32_t tiny = 0x00400000;
   assert_int_equal(result_in_mode(0x1c0, "v_add_f32 v10, v0, v1\n", tiny, tiny), 0);
   assert_int_equal(result_in_mode(0x1f0, "v_add_f32 v10, v0, v1\n", tiny, tiny), 0x00800000);
   assert_int_equal(result_in_mode(0x1d0, "v_mul_f32 v10, v0, v1\n", 0x00800000, F(0.5f)), 0); /* results only */
   assert_int_equal(result_in_mode(0x1e0, "v_mul_f32 v10, v0, v1\n", 0x00800000, F(0.5f)), tiny);
   assert_int_equal(result_in_mode(0x1c0, "v_max_f32 v10, v0, v1\n", 0x80000001, 0x80000001), 0x80000000);
   assert_int_equal(result_in_mode(0x1f0, "v_max_f32 v10, v0, v1\n", 0x80000001, 0x80000001), 0x80000001);
   assert_int_equal(result_in_mode(0x1f0, "v_add_f16 v10, v0, v1\n", 1, 1) & 0xffff, 2);
   assert_int_equal(result_in_mode(0x130, "v_add_f16 v10, v0, v1\n", 1, 1) & 0xffff, 0);
   assert_int_equal(result_in_mode(0x130, "v_pk_add_f16 v10, v0, v1\n", 0x80013c00, 0x80010001), 0x80003c00);
   assert_int_equal(result_in_mode(0x130, "v_cvt_f32_f16 v10, v0\n", 0x8001, 0), 0x80000000);
   assert_int_equal(result_in_mode(0x1f0, "v_cvt_f32_f16 v10, v0\n", 0x8001, 0), F(-0x1p-24f));
}

static void
test_ieee_minimum(void **state)
{
   const uint32_t signalling = 0x7f800001, quiet = 0x7fc00000;
   assert_int_equal(result_in_mode(0x1f0, "v_min_f32 v10, v0, v1\n", signalling, F(1)), F(1));
   assert_int_equal(result_in_mode(0x3f0, "v_min_f32 v10, v0, v1\n", signalling, F(1)), 0x7fc00001);
   assert_int_equal(result_in_mode(0x3f0, "v_min_f32 v10, v0, v1\n", F(1), signalling), 0x7fc00001);
   assert_int_equal(result_in_mode(0x3f0, "v_min_f32 v10, v0, v1\n", quiet, F(1)), F(1));
   assert_int_equal(result_in_mode(0x3f0, "v_max_f16 v10, v0, v1\n", 0x7c01, 0x3c00) & 0xffff, 0x7e01);
   /* The NaN of the first two is quiet as it meets the third. */
   assert_int_equal(result_in_mode(0x3f0, "v_min3_f32 v10, v0, v1, 2.0\n", signalling, F(1)), F(2));
   assert_int_equal(result_in_mode(0x3f0, "v_min3_f32 v10, 2.0, v1, v0\n", signalling, F(1)), 0x7fc00001);
}

static void
test_clamp_of_nan(void **state)
{
   const char *text = "v_add_f32_e64 v10, v0, v1 clamp\n";
   assert_int_equal(result_in_mode(0x1c0, text, 0x7fc00000, F(1)), 0);
   assert_true(isnan(as_float(result_in_mode(0x0c0, text, 0x7fc00000, F(1)))));
   assert_int_equal(result_in_mode(0x1f0, text, 0x00000001, 0), 1); /* a denormal is within 0..1 */
}

static void
test_fp16_overflow(void **state)
{
   const uint32_t ovfl = 1 << 23;
   assert_int_equal(result_in_mode(0x1c0, "v_add_f16 v10, v0, v1\n", 0x7bff, 0x7bff) & 0xffff, 0x7c00);
   assert_int_equal(result_in_mode(0x1c0 | ovfl, "v_add_f16 v10, v0, v1\n", 0x7bff, 0x7bff) & 0xffff, 0x7bff);
   assert_int_equal(result_in_mode(0x1c0 | ovfl, "v_add_f16 v10, v0, v1\n", 0x7c00, 0x7bff) & 0xffff, 0x7c00);
   assert_int_equal(result_in_mode(0x1c0 | ovfl, "v_cvt_f16_f32 v10, v0\n", F(-1e6f), 0) & 0xffff, 0xfbff);
   assert_int_equal(result_in_mode(0x1c0 | ovfl, "v_pk_mul_f16 v10, v0, v1\n", 0x7bff3c00, 0x40004000), 0x7bff4000);
}

static void
test_transcendentals_ignore_mode(void **state)
{
   assert_int_equal(result_in_mode(0x1ff, "v_rcp_f32 v10, v0\n", F(3), 0), F(0x1.555556p-2f));
   assert_int_equal(result_in_mode(0x1f0, "v_rcp_f32 v10, v0\n", 0x807fffff, 0), 0xff800000);
   assert_int_equal(result_in_mode(0x1f0, "v_sqrt_f32 v10, v0\n", 1, 0), 0);
}

static void
test_unordered_compare(void **state)
{
   fresh(0x7fc00000, F(1), 0);
   run("v_cmp_lg_f32 s[10:11], v0, v1\nv_cmp_neq_f32 s[12:13], v0, v1\nv_cmp_lg_f32 s[14:15], v1, 2.0\n");
   assert_int_equal(box.wave.sreg[10], 0);
   assert_int_equal(box.wave.sreg[12], ~0u);
   assert_int_equal(box.wave.sreg[14], ~0u);
}

static void
test_half_of_nan_keeps_sign(void **state)
{
   assert_int_equal(result("v_cvt_f16_f32 v10, v0\n", 0xffc00000, 0, 0) & 0xffff, 0xfe00);
   assert_int_equal(result("v_cvt_f32_f16 v10, v0\n", 0xfe00, 0, 0), 0xffc00000);
   assert_int_equal(result("v_cvt_f16_f32 v10, v0\n", 0x3f801000, 0, 0) & 0xffff, 0x3c00); /* all 32 bits count */
   assert_int_equal(result("v_cvt_f16_f32 v10, v0\n", 0x3f801001, 0, 0) & 0xffff, 0x3c01);
}

/* a / b by the steps that compilers emit is the quotient, rounded once, whatever the operands. */
static void
test_division(void **state)
{
   struct random random = {20240601};
   for (unsigned round = 0; round < 64; round++) {
      fresh(0, 0, 0);
      box.wave.mode = MODE_KEEP;
      for (unsigned l = 0; l < 64; l++) {
         box.vgpr[0][l] = random_bits(&random, 32);
         box.vgpr[1][l] = random_bits(&random, 32);
         if (round % 2) { /* quotients at the ends of the range */
            box.vgpr[0][l] &= 0x80ffffff | (l & 1 ? 0 : 0x7f000000);
            box.vgpr[1][l] |= l & 2 ? 0x7e000000 : 0;
         }
      }
      run("v_div_scale_f32 v2, null, v1, v1, v0\nv_div_scale_f32 v3, vcc, v0, v1, v0\nv_rcp_f32 v4, v2\n"
          "v_fma_f32 v5, -v2, v4, 1.0\nv_fma_f32 v4, v5, v4, v4\nv_mul_f32 v5, v3, v4\nv_fma_f32 v6, -v2, v5, v3\n"
          "v_fma_f32 v5, v6, v4, v5\nv_fma_f32 v6, -v2, v5, v3\nv_div_fmas_f32 v6, v6, v4, v5\n"
          "v_div_fixup_f32 v10, v6, v1, v0\n");
      for (unsigned l = 0; l < 64; l++) {
         float a = as_float(box.vgpr[0][l]), b = as_float(box.vgpr[1][l]), expected = a / b;
         float got = as_float(box.vgpr[10][l]);
         if (isnan(expected))
            assert_true(isnan(got));
         else if (fabsf(expected) >= 0x1p-126f)
            assert_int_equal(box.vgpr[10][l], F(expected));
         else /* scaling a denormal result rounds it again */
            assert_true(abs((int)(box.vgpr[10][l] - F(expected))) <= 1);
      }
   }
}

/* ---- integers and halves ---- */

static void
test_carry_of_own_source(void **state)
{
   fresh(0xffffffff, 2, 0);
   run("v_add_co_u32 v0, vcc, v0, v1\nv_add_co_ci_u32 v0, vcc, v0, v0, vcc\n");
   assert_int_equal(box.vgpr[0][0], 3);
   assert_int_equal(box.wave.sreg[SREG_VCC_LO], 0);
}

static void
test_integer_clamp(void **state)
{
   assert_int_equal(result("v_sub_nc_u32_e64 v10, v0, v1 clamp\n", 1, 2, 0), 0);
   assert_int_equal(result("v_sub_nc_u16 v10, v0, v1 clamp\n", 1, 2, 0) & 0xffff, 0);
   assert_int_equal(result("v_sub_nc_i16 v10, v0, v1 clamp\n", 0x8000, 1, 0) & 0xffff, 0x8000);
   assert_int_equal(result("v_pk_add_i16 v10, v0, v1 clamp\n", 0x7fff8000, 0x0001ffff, 0), 0x7fff8000);
   assert_int_equal(result("v_pk_mul_lo_u16 v10, v0, v1 clamp\n", 0x00020100, 0x00030100, 0), 0x0006ffff);
   assert_int_equal(result("v_dot4_i32_iu8 v10, v0, v1, v2 neg_lo:[1,1,0] clamp\n", 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff),
                    0x7fffffff);
   assert_int_equal(result("v_dot4_u32_u8 v10, v0, v1, v2 clamp\n", 1, 1, 0xffffffff), 0xffffffff);
   assert_int_equal(result("v_mul_u32_u24_e64 v10, v0, v1 clamp\n", 0x800000, 0x800000, 0), 0xffffffff);
   assert_int_equal(result("v_sad_u8 v10, v0, v1, v2 clamp\n", 0xff, 0, 0xffffffff), 0xffffffff);
}

static void
test_perm_beyond_bytes(void **state)
{
   assert_int_equal(result("v_perm_b32 v10, v0, v1, v2\n", 0x80007fff, 0x7fff8000, 0x0b0a0908), 0xff0000ff);
   assert_int_equal(result("v_perm_b32 v10, v0, v1, v2\n", 0, 0, 0xff0e0d0c), 0xffffff00);
}

static void
test_bfloat_dot(void **state)
{
   /* 1 * 2 + 3 * 4 + 0.5; the upper half is kept. */
   assert_int_equal(result("v_dot2_f32_bf16 v10, v0, v1, v2\n", 0x40403f80, 0x40804000, F(0.5f)), F(14.5f));
   assert_int_equal(result("v_dot2_bf16_bf16 v10, v0, v1, v2\n", 0x40403f80, 0x40804000, 0x3f00), 0xdbdb4168);
}

static void
test_mqsad(void **state)
{
   fresh(0x04030201, 0x08070605, 0x00010101);
   for (unsigned v = 4; v < 8; v++)
      set(v, v);
   run("v_mqsad_u32_u8 v[10:13], v[0:1], v2, v[4:7]\n");
   for (unsigned i = 0; i < 4; i++) /* bytes i + 1, i + 2, i + 3 less 1, and one that does not count */
      assert_int_equal(box.vgpr[10 + i][9], 4 + i + i + (i + 1) + (i + 2));
}

/* v_add_f16 in 32 bits; registers from 128 on are upper halves. LLVM 19 has no text for those. */
static uint32_t
add_halves(unsigned dst, unsigned a, unsigned b)
{
   const uint32_t add = 50u << 25 | dst << 17 | b << 9 | (256 + a);
   fresh(0x3c004000, 0x40003c00, 0);
   set(10, 0x12345678);
   assert_int_equal(box_run(&box, &add, 1), ISA_END);
   return box.vgpr[10][3];
}

static void
test_halves_preserve_the_rest(void **state)
{
   assert_int_equal(add_halves(128 + 10, 0, 1), 0x42005678);
   assert_int_equal(add_halves(10, 128 + 0, 128 + 1), 0x12344200);
}

/* The addend of v_fmac_f16 is the half that the result goes to (seen on silicon). */
static void
test_fmac_half(void **state)
{
   fresh(0x3800dead, 0x4000, 0x4200);
   const uint32_t fmac = 54u << 25 | 128 << 17 | 2 << 9 | 257; /* v_fmac_f16 v0.h, v1.l, v2.l */
   assert_int_equal(box_run(&box, &fmac, 1), ISA_END);
   assert_int_equal(box.vgpr[0][0], 0x4680dead);
}

static void
test_swap_halves(void **state)
{
   fresh(0x11112222, 0x33334444, 0);
   box.wave.sreg[SREG_EXEC_LO] = 1;
   box.wave.sreg[SREG_EXEC_HI] = 0;
   const uint32_t swap = 0x7e000000 | 128 << 17 | 102 << 9 | 257; /* v_swap_b16 v0.h, v1.l */
   assert_int_equal(box_run(&box, &swap, 1), ISA_END);
   assert_int_equal(box.vgpr[0][0], 0x44442222);
   assert_int_equal(box.vgpr[1][0], 0x33331111);
   assert_int_equal(box.vgpr[0][1], 0x11112222);
}

/* ---- dual instructions ---- */

static void
test_dual(void **state)
{
   box_reset(&box, false);
   set(0, 5);
   set(1, 7);
   run("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0\n"); /* both read before either writes */
   assert_int_equal(box.vgpr[0][3], 7);
   assert_int_equal(box.vgpr[1][3], 5);

   set(2, F(3));
   run("v_dual_mov_b32 v10, v2 :: v_dual_mul_f32 v11, 0x40a00000, v2\n"); /* the literal is the second's */
   assert_int_equal(box.vgpr[11][3], F(15));

   set(4, 0x40003c00);
   set(5, 0x44004200);
   set(6, F(1));
   run("v_dual_dot2acc_f32_f16 v6, v4, v5 :: v_dual_mov_b32 v7, v2\n"); /* 1 + 1 * 3 + 2 * 4 */
   assert_int_equal(box.vgpr[6][3], F(12));

   /* v_dual_mov_b32 v2, 100 :: v_dual_add_nc_u32 v1, v0, v1, with something in VSRC1, which a move does not use. */
   const uint32_t words[] = {0xca2004ff, 0x02000300, 100};
   set(0, 5);
   set(1, 10);
   assert_int_equal(box_run(&box, words, 3), ISA_END);
   assert_int_equal(box.vgpr[2][0], 100);
   assert_int_equal(box.vgpr[1][0], 15);
}

/* ---- matrices ---- */

/* A is 1 in row 2, column 5; B 1 in row 5, column 9: the product has its 1 in row 2, column 9. */
static void
matrices(bool wave64)
{
   unsigned groups = wave64 ? 4 : 2, count = wave64 ? 4 : 8;
   box_reset(&box, wave64);
   box.wave.sreg[SREG_EXEC_LO] = 0; /* does not matter */
   for (unsigned v = 0; v < 40; v++)
      set(v, 0);
   for (unsigned l = 0; l < 64; l += 16) {
      box.vgpr[0 + 2][l + 2] = 0x3c000000; /* element 5: upper half of the third register */
      box.vgpr[8 + 2][l + 9] = 0x3c000000;
   }
   const char *text =
      wave64
         ? "v_wmma_f32_16x16x16_f16 v[16:19], v[0:7], v[8:15], v[24:27]\n"
           "v_wmma_f16_16x16x16_f16 v[32:35], v[0:7], v[8:15], v[24:27] op_sel:[0,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]\n"
         : "v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[24:31]\n"
           "v_wmma_f16_16x16x16_f16 v[32:39], v[0:7], v[8:15], v[24:31] op_sel:[0,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]\n";
   for (unsigned v = 32; v < 40; v++)
      set(v, 0x7777);
   run(text);
   for (unsigned i = 0; i < count; i++) {
      for (unsigned l = 0; l < groups * 16; l++) {
         bool one = i * groups + l / 16 == 2 && l % 16 == 9;
         assert_int_equal(box.vgpr[16 + i][l], one ? F(1) : 0);
         assert_int_equal(box.vgpr[32 + i][l] & 0xffff, 0x7777);
         assert_int_equal(box.vgpr[32 + i][l] >> 16 & (one ? 0xffff : 0x7fff), one ? 0xbc00 : 0);
      }
   }
}

static void
test_matrices(void **state)
{
   matrices(false);
   matrices(true);
}

static void
test_integer_matrices(void **state)
{
   for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
      box_reset(&box, false);
      for (unsigned v = 0; v < 8; v++)
         set(v, 0xffffffff);
      for (unsigned v = 8; v < 24; v++)
         set(v, 5);
      run(is_signed ? "v_wmma_i32_16x16x16_iu8 v[8:15], v[0:3], v[4:7], v[8:15] neg_lo:[1,1,0]\n"
                      "v_wmma_i32_16x16x16_iu4 v[16:23], v[0:1], v[4:5], v[16:23] neg_lo:[1,0,0]\n"
                    : "v_wmma_i32_16x16x16_iu8 v[8:15], v[0:3], v[4:7], v[8:15]\n"
                      "v_wmma_i32_16x16x16_iu4 v[16:23], v[0:1], v[4:5], v[16:23]\n");
      assert_int_equal(box.vgpr[11][17], is_signed ? 5 + 16 : 5 + 16 * 255 * 255);
      assert_int_equal((int32_t)box.vgpr[18][17], is_signed ? 5 - 16 * 15 : 5 + 16 * 15 * 15);
   }
   box_reset(&box, false);
   for (unsigned v = 0; v < 8; v++)
      set(v, 0x7f7f7f7f);
   for (unsigned v = 8; v < 16; v++)
      set(v, 0x7fffffff);
   run("v_wmma_i32_16x16x16_iu8 v[16:23], v[0:3], v[4:7], v[8:15] neg_lo:[1,1,0] clamp\n"
       "v_wmma_i32_16x16x16_iu8 v[24:31], v[0:3], v[4:7], v[8:15] neg_lo:[1,1,0]\n");
   assert_int_equal(box.vgpr[16][0], 0x7fffffff);
   assert_int_equal(box.vgpr[24][0], 0x7fffffff + 16u * 127 * 127);
}

BOX_TESTS(cmocka_unit_test(test_compare_clears_inactive), cmocka_unit_test(test_cmpx_writes_exec_only),
          cmocka_unit_test(test_exec_zero), cmocka_unit_test(test_dpp_keeps_and_zeroes),
          cmocka_unit_test(test_vgpr_out_of_range), cmocka_unit_test(test_negated_zero),
          cmocka_unit_test(test_fma_rounds_once), cmocka_unit_test(test_constants_of_packed),
          cmocka_unit_test(test_output_modifier), cmocka_unit_test(test_denormals_by_size),
          cmocka_unit_test(test_ieee_minimum), cmocka_unit_test(test_clamp_of_nan),
          cmocka_unit_test(test_fp16_overflow), cmocka_unit_test(test_transcendentals_ignore_mode),
          cmocka_unit_test(test_unordered_compare), cmocka_unit_test(test_half_of_nan_keeps_sign),
          cmocka_unit_test(test_division), cmocka_unit_test(test_carry_of_own_source),
          cmocka_unit_test(test_integer_clamp), cmocka_unit_test(test_perm_beyond_bytes),
          cmocka_unit_test(test_bfloat_dot), cmocka_unit_test(test_mqsad),
          cmocka_unit_test(test_halves_preserve_the_rest), cmocka_unit_test(test_fmac_half),
          cmocka_unit_test(test_swap_halves), cmocka_unit_test(test_dual), cmocka_unit_test(test_matrices),
          cmocka_unit_test(test_integer_matrices))
