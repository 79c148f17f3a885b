/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic exceptions: what each operation raises in TRAPSTS.EXCP (RDNA3 ISA guide, 3.4.7; IEEE 754, chapter 7), and
 * that MODE.EXCP_EN makes traps of it. Instructions compute the same whether anybody looks at exceptions or not.
 */
#include <string.h>

#include "encodings.h"
#include "isa/half.h"
#include "wave_box.h"

enum {
   NONE = 0,
   INV = TRAPSTS_INVALID,
   DEN = TRAPSTS_INPUT_DENORMAL,
   DIV = TRAPSTS_DIVIDE_BY_ZERO,
   OVF = TRAPSTS_OVERFLOW,
   UNF = TRAPSTS_UNDERFLOW,
   INX = TRAPSTS_INEXACT,
   INT = TRAPSTS_INTEGER_DIVIDE_BY_ZERO
};

enum { KEEP_DENORMALS = 0xf0, FLUSH = 0 }; /* no DX10_CLAMP */
enum {
   ONE = 0x3f800000,
   TINY = 0x00800000,
   HUGE_ = 0x7f7fffff,
   INF = 0x7f800000,
   QNAN = 0x7fc00000,
   SNAN = 0x7fa00000
};

/* Sources in v1, v2 and v3; f64: their low dwords are 0 and the high ones in v[11], v[13], v[15]. */
struct expectation {
   const char *text;
   uint32_t a, b, c, mode, raised;
};

static const struct expectation expectations[] = {
   {"v_add_f32 v0, v1, v2", ONE, ONE, 0, KEEP_DENORMALS, NONE},
   {"v_add_f32 v0, v1, v2", ONE, 0x33000000, 0, KEEP_DENORMALS, INX}, /* 1 + 2^-25 */
   {"v_add_f32 v0, v1, v2", HUGE_, HUGE_, 0, KEEP_DENORMALS, OVF | INX},
   {"v_add_f32 v0, v1, v2", INF, 0xff800000, 0, KEEP_DENORMALS, INV},
   {"v_add_f32 v0, v1, v2", INF, INF, 0, KEEP_DENORMALS, NONE},
   {"v_add_f32 v0, v1, v2", QNAN, ONE, 0, KEEP_DENORMALS, NONE},
   {"v_add_f32 v0, v1, v2", SNAN, ONE, 0, KEEP_DENORMALS, INV},
   {"v_add_f32 v0, v1, v2", 1, 1, 0, KEEP_DENORMALS, DEN},
   {"v_add_f32 v0, v1, v2", 1, ONE, 0, FLUSH, NONE},
   {"v_sub_f32 v0, v1, v2", TINY + 1, TINY, 0, KEEP_DENORMALS, NONE}, /* a denormal, but exact */
   {"v_sub_f32 v0, v1, v2", TINY + 1, TINY, 0, FLUSH, UNF | INX},
   {"v_mul_f32 v0, v1, v2", TINY, TINY, 0, KEEP_DENORMALS, UNF | INX},
   {"v_mul_f32 v0, v1, v2", 0, INF, 0, KEEP_DENORMALS, INV},
   {"v_mul_f32 v0, v1, v2", HUGE_, ONE + 1, 0, KEEP_DENORMALS | 3, OVF | INX}, /* towards zero: the largest number */
   {"v_fma_f32 v0, v1, v2, v3", ONE + 1, ONE + 1, 0xbf800002, KEEP_DENORMALS, NONE}, /* 2^-46 is left, exactly */
   {"v_fma_f32 v0, v1, v2, v3", ONE + 1, ONE + 1, ONE, KEEP_DENORMALS, INX},
   {"v_fma_f32 v0, v1, v2, v3", 0, INF, QNAN, KEEP_DENORMALS, NONE},
   {"v_fma_f32 v0, v1, v2, v3", 0x07, TINY, 0x80000001, KEEP_DENORMALS | 2, DEN | UNF | INX}, /* 2^-275 more than it */
   {"v_fmac_f32 v3, v1, v2", HUGE_, HUGE_, ONE, KEEP_DENORMALS, OVF | INX},
   {"v_fmaak_f32 v0, v1, v2, 0x7fa00000", ONE, ONE, 0, KEEP_DENORMALS, INV},
   {"v_max_f32 v0, v1, v2", QNAN, ONE, 0, KEEP_DENORMALS, NONE},
   {"v_max_f32 v0, v1, v2", SNAN, ONE, 0, KEEP_DENORMALS, INV},
   {"v_floor_f32 v0, v1", 0x3fc00000, 0, 0, KEEP_DENORMALS, NONE},
   {"v_cmp_lt_f32 vcc, v1, v2", QNAN, ONE, 0, KEEP_DENORMALS, NONE},
   {"v_cmp_lt_f32 vcc, v1, v2", SNAN, ONE, 0, KEEP_DENORMALS, INV},
   {"v_cmp_class_f32 vcc, v1, v2", SNAN, ONE, 0, KEEP_DENORMALS, NONE},
   {"v_rcp_f32 v0, v1", 0, 0, 0, KEEP_DENORMALS, DIV},
   {"v_rcp_f32 v0, v1", 0x40000000, 0, 0, KEEP_DENORMALS, NONE},
   {"v_rcp_f32 v0, v1", 0x40400000, 0, 0, KEEP_DENORMALS, INX},
   {"v_rcp_iflag_f32 v0, v1", 0, 0, 0, KEEP_DENORMALS, INT},
   {"v_rcp_iflag_f32 v0, v1", 0x40400000, 0, 0, KEEP_DENORMALS, NONE},
   {"v_rsq_f32 v0, v1", 0, 0, 0, KEEP_DENORMALS, DIV},
   {"v_rsq_f32 v0, v1", 0xbf800000, 0, 0, KEEP_DENORMALS, INV},
   {"v_sqrt_f32 v0, v1", 0xbf800000, 0, 0, KEEP_DENORMALS, INV},
   {"v_sqrt_f32 v0, v1", 0x40800000, 0, 0, KEEP_DENORMALS, NONE},
   {"v_log_f32 v0, v1", 0, 0, 0, KEEP_DENORMALS, DIV},
   {"v_exp_f32 v0, v1", 0x44000000, 0, 0, KEEP_DENORMALS, OVF | INX},
   {"v_div_fixup_f32 v0, v1, v2, v3", QNAN, 0, ONE, KEEP_DENORMALS, DIV}, /* quotient, denominator, numerator */
   {"v_div_fixup_f32 v0, v1, v2, v3", QNAN, 0, 0, KEEP_DENORMALS, INV},
   {"v_div_fixup_f32 v0, v1, v2, v3", 0, INF, ONE, KEEP_DENORMALS, NONE},
   {"v_cvt_i32_f32 v0, v1", 0x4f000000, 0, 0, KEEP_DENORMALS, INV}, /* 2^31 */
   {"v_cvt_i32_f32 v0, v1", 0xcf000000, 0, 0, KEEP_DENORMALS, NONE},
   {"v_cvt_i32_f32 v0, v1", 0x3fc00000, 0, 0, KEEP_DENORMALS, INX},
   {"v_cvt_u32_f32 v0, v1", 0xbf800000, 0, 0, KEEP_DENORMALS, INV},
   {"v_cvt_u32_f32 v0, v1", QNAN, 0, 0, KEEP_DENORMALS, INV},
   {"v_cvt_f32_u32 v0, v1", 0x01000001, 0, 0, KEEP_DENORMALS, INX},
   {"v_cvt_f32_u32 v0, v1", 0x01000000, 0, 0, KEEP_DENORMALS, NONE},
   {"v_cvt_f16_f32 v0, v1", ONE, 0, 0, KEEP_DENORMALS, NONE},
   {"v_cvt_f16_f32 v0, v1", ONE + 1, 0, 0, KEEP_DENORMALS, INX},
   {"v_cvt_f16_f32 v0, v1", 0x477ff000, 0, 0, KEEP_DENORMALS, OVF | INX}, /* 65520 */
   {"v_cvt_f16_f32 v0, v1", 0x33800000, 0, 0, KEEP_DENORMALS, NONE},      /* 2^-24 */
   {"v_cvt_f16_f32 v0, v1", 0x33c00000, 0, 0, KEEP_DENORMALS, UNF | INX},
   {"v_cvt_f16_f32 v0, v1", 0x33800000, 0, 0, FLUSH, UNF | INX},
   {"v_cvt_f32_f64 v0, v[10:11]", 0x47f00000, 0, 0, KEEP_DENORMALS, OVF | INX}, /* 2^128 */
   {"v_add_f16 v0, v1, v2", 0x3c00, 0x1000, 0, KEEP_DENORMALS, INX},            /* 1 + 2^-11 */
   {"v_mul_f16 v0, v1, v2", 0x7bff, 0x4000, 0, KEEP_DENORMALS, OVF | INX},
   {"v_mul_f16 v0, v1, v2", 0x0400, 0x3800, 0, KEEP_DENORMALS, NONE},
   {"v_mul_f16 v0, v1, v2", 0x0401, 0x3800, 0, KEEP_DENORMALS, UNF | INX},
   {"v_fma_f16 v0, v1, v2, v3", 0x3c01, 0x3c01, 0xbc02, KEEP_DENORMALS, NONE},
   {"v_fma_f16 v0, v1, v2, v3", 0x3c01, 0x3c01, 0x3c00, KEEP_DENORMALS, INX},
   {"v_add_f16 v0, v1, v2", 0x0001, 0x3c00, 0, KEEP_DENORMALS, DEN | INX},
   {"v_add_f16 v0, v1, v2", 0x7d00, 0x3c00, 0, KEEP_DENORMALS, INV},
   {"v_rcp_f16 v0, v1", 0, 0, 0, KEEP_DENORMALS, DIV},
   {"v_add_f64 v[4:5], v[10:11], v[12:13]", 0x3ff00000, 0x3c900000, 0, KEEP_DENORMALS, INX}, /* 1 + 2^-54 */
   {"v_mul_f64 v[4:5], v[10:11], v[12:13]", 0x7fe00000, 0x7fe00000, 0, KEEP_DENORMALS, OVF | INX},
   {"v_fma_f64 v[4:5], v[10:11], v[12:13], v[14:15]", 0x3ff00000, 0x3ff00000, 0x3ff00000, KEEP_DENORMALS, NONE},
   {"v_rcp_f64 v[4:5], v[10:11]", 0, 0, 0, KEEP_DENORMALS, DIV},
   {"v_add_f64 v[4:5], v[10:11], v[12:13]", 0x00080000, 0x3ff00000, 0, KEEP_DENORMALS, DEN | INX},
   {"v_fma_mix_f32 v0, v1, v2, v3", HUGE_, HUGE_, 0, KEEP_DENORMALS, OVF | INX},
   {"v_fma_mixlo_f16 v0, v1, v2, v3", ONE, 0x477ff000, 0, KEEP_DENORMALS, OVF | INX},
   {"v_dot2_f32_f16 v0, v1, v2, v3", 0x3c013c01, 0x3c013c01, ONE, KEEP_DENORMALS, NONE},
   {"v_add_nc_u32 v0, v1, v2", ~0u, ~0u, 0, KEEP_DENORMALS, NONE},
   {"v_mov_b32 v0, v1", SNAN, 0, 0, KEEP_DENORMALS, NONE},
};

static void
prepare(const struct expectation *expectation)
{
   box_reset(&box, true);
   memset(box.vgpr, 0, sizeof box.vgpr);
   const uint32_t source[] = {expectation->a, expectation->b, expectation->c};
   for (unsigned n = 0; n < 3; n++)
      box.vgpr[1 + n][5] = box.vgpr[11 + 2 * n][5] = source[n];
   box.wave.mode = expectation->mode;
   box.wave.sreg[SREG_EXEC_LO] = 1 << 5;
   box.wave.sreg[SREG_EXEC_HI] = 0;
   box.wave.exec_dirty = true;
}

static void
test_raised(void **state)
{
   for (unsigned i = 0; i < sizeof expectations / sizeof *expectations; i++) {
      const struct expectation *e = &expectations[i];
      prepare(e);
      box.wave.reads_exceptions = true;
      assert_int_equal(box_run_text(&box, e->text), ISA_END);
      if ((box.wave.trapsts & TRAPSTS_ARITHMETIC) != e->raised)
         fail_msg("%u: %s of %x, %x, %x: %x, not %x", i, e->text, e->a, e->b, e->c, box.wave.trapsts, e->raised);
   }
}

/* Sticky until they are written; lanes that are off raise nothing; programs that do not look pay nothing. */
static void
test_sticky(void **state)
{
   static const struct expectation division = {"", 0, ONE, 0, KEEP_DENORMALS, 0};
   prepare(&division);
   box.wave.reads_exceptions = true;
   box.vgpr[1][6] = SNAN;
   box_run_text(&box, "v_rcp_f32 v0, v1\nv_add_f32 v0, v2, v2\ns_getreg_b32 s20, hwreg(HW_REG_TRAPSTS)\n"
                      "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 7), 0\nv_mul_f32 v0, v1, v2\n");
   assert_int_equal(box.wave.sreg[20], DIV);
   assert_int_equal(box.wave.trapsts, 0);

   prepare(&division);
   box_run_text(&box, "v_rcp_f32 v0, v1\n");
   assert_int_equal(box.wave.trapsts, 0);

   /* DX10_CLAMP suppresses them. */
   prepare(&division);
   box.wave.reads_exceptions = true;
   box.wave.mode |= MODE_DX10_CLAMP | DIV << 12;
   box.wave.status = STATUS_TRAP_EN;
   assert_int_equal(box_run_text(&box, "v_rcp_f32 v0, v1\n"), ISA_END);
   assert_int_equal(box.wave.trapsts, 0);
}

static void
test_dual(void **state)
{
   static const struct expectation factors = {"", HUGE_, SNAN, 0, KEEP_DENORMALS, 0};
   prepare(&factors);
   box.wave.wave64 = false;
   box.wave.reads_exceptions = true;
   uint32_t words[8];
   unsigned count = box_assemble("v_dual_mul_f32 v6, v1, v1 :: v_dual_mov_b32 v7, v2\n", false, words, 8);
   assert_int_equal(box_run(&box, words, count), ISA_END);
   assert_int_equal(box.wave.trapsts, OVF | INX);
   box.wave.exec_dirty = true;
   count = box_assemble("v_dual_mov_b32 v6, v1 :: v_dual_add_f32 v7, v2, v3\n", false, words, 8);
   assert_int_equal(box_run(&box, words, count), ISA_END);
   assert_int_equal(box.wave.trapsts, OVF | INX | INV);
}

/* The trap comes after the instruction, whose result is there; of what is not enabled there is none. */
static void
test_traps(void **state)
{
   static const struct expectation division = {"", 0, ONE + 1, 0, KEEP_DENORMALS | DIV << 12, 0};
   for (unsigned trap_en = 0; trap_en < 2; trap_en++) {
      prepare(&division);
      box.wave.status = trap_en ? STATUS_TRAP_EN : 0;
      uint64_t pc = box.wave.pc;
      enum isa_result result = box_run_text(&box, "v_mul_f32 v4, v2, v2\nv_rcp_f32 v0, v1\ns_mov_b32 s20, 1\n");
      assert_int_equal(result, trap_en ? ISA_TRAP : ISA_END);
      assert_int_equal(box.wave.trapsts, DIV | INX);
      assert_int_equal(box.vgpr[0][5], INF);
      if (!trap_en)
         continue;
      assert_int_equal(box.wave.fault.cause, DIV);
      assert_int_equal(box.wave.fault.pc, pc + 4);
      assert_int_equal(box.wave.pc, pc + 8);
      assert_int_not_equal(box.wave.sreg[20], 1);
   }
   /* Enabled by the program itself. */
   prepare(&division);
   box.wave.mode = KEEP_DENORMALS;
   box.wave.status = STATUS_TRAP_EN;
   assert_int_equal(box_run_text(&box, "v_rcp_f32 v0, v1\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 14, 1), 1\n"),
                    ISA_NEXT); /* leaves the loop */
   assert_int_equal(box.wave.trapsts, 0);
   prepare(&division);
   box.wave.mode |= INV << 12;
   box.wave.status = STATUS_TRAP_EN;
   box.vgpr[1][5] = SNAN;
   assert_int_equal(box_run_text(&box, "v_cmpx_lt_f32 v1, v2\n"), ISA_TRAP);
   assert_int_equal(box.wave.sreg[SREG_EXEC_LO], 0);
}

/* ---- the same results ---- */

struct outcome {
   enum isa_result result;
   uint32_t vgpr[BOX_VGPRS][64], sreg[SREG_COUNT];
};

static bool
is_vector(const struct inst *inst)
{
   return inst->encoding >= ISA_VOP1 && inst->encoding <= ISA_VOPD && !strstr(inst->op->name, "movrel") &&
          !strstr(inst->op->name, "swaprel");
}

static void
run_random(const struct encoding *encoding, bool wave64, uint64_t seed, bool exceptions, struct outcome *outcome)
{
   static const uint32_t special[] = {0, 1, TINY, ONE, INF, QNAN, SNAN, 0x3c003c00, 0x7c000001, 0x80000000, 0x40490fdb};
   struct random values = {seed};
   box_reset(&box, wave64);
   for (unsigned v = 0; v < BOX_VGPRS; v++)
      for (unsigned l = 0; l < 64; l++)
         box.vgpr[v][l] = random_bits(&values, 1) ? random_bits(&values, 32) : special[random_bits(&values, 16) % 11];
   for (unsigned i = 0; i < SREG_COUNT; i++)
      box.wave.sreg[i] = i == SREG_NULL ? 0 : random_bits(&values, 32);
   box.wave.exec_dirty = true;
   box.wave.mode = random_bits(&values, 10) & ~(uint32_t)MODE_DX10_CLAMP;
   box.wave.reads_exceptions = exceptions;
   memcpy(box.code, encoding->word, sizeof encoding->word);
   icache_invalidate(box.icache);
   uint32_t budget = 1;
   outcome->result = wave_interpret(&box.wave, box.icache, &budget);
   memcpy(outcome->vgpr, box.vgpr, sizeof outcome->vgpr);
   memcpy(outcome->sreg, box.wave.sreg, sizeof outcome->sreg);
}

struct runs {
   bool wave64;
   uint64_t seed;
   unsigned count;
};

/* Which NaN it is may differ. */
static bool
same(uint32_t a, uint32_t b)
{
   bool halfs = ((a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00) || (uint16_t)a == (uint16_t)b;
   return a == b || (as_float(a) != as_float(a) && as_float(b) != as_float(b)) ||
          (halfs && ((a & 0x7fff0000) > 0x7c000000 && (b & 0x7fff0000) > 0x7c000000)) || (halfs && a >> 16 == b >> 16);
}

static void
compare_runs(void *user, const struct encoding *encoding)
{
   static struct outcome plain, watched;
   struct runs *runs = user;
   struct inst inst;
   if (isa_decode(encoding->word, sizeof encoding->word, runs->wave64, &inst) || !is_vector(&inst))
      return;
   runs->count++;
   runs->seed++;
   run_random(encoding, runs->wave64, runs->seed, false, &plain);
   run_random(encoding, runs->wave64, runs->seed, true, &watched);
   assert_int_equal(plain.result, watched.result);
   assert_memory_equal(plain.sreg, watched.sreg, sizeof plain.sreg);
   for (unsigned v = 0; v < BOX_VGPRS; v++)
      for (unsigned l = 0; l < 64; l++)
         if (!same(plain.vgpr[v][l], watched.vgpr[v][l]))
            fail_msg("%s: v%u lane %u is %x, not %x", inst.op->name, v, l, watched.vgpr[v][l], plain.vgpr[v][l]);
}

static void
test_same_results(void **state)
{
   for (unsigned wave64 = 0; wave64 < 2; wave64++) {
      struct random random = {1234 + wave64};
      struct runs runs = {.wave64 = wave64, .seed = 99};
      encodings_each(&random, 6, compare_runs, &runs);
      assert_true(runs.count > 1000);
   }
}

BOX_TESTS(cmocka_unit_test(test_raised), cmocka_unit_test(test_sticky), cmocka_unit_test(test_dual),
          cmocka_unit_test(test_traps), cmocka_unit_test(test_same_results))
