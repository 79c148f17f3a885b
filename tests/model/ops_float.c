/* SPDX-License-Identifier: MIT */
/* Float arithmetic with one rounding: sums, products, FMA. */
#include "families.h"
#include "real.h"

/* The type that a function computes in: packed operations come a half at a time. */
static enum type
type_of(const struct call *call)
{
   return call->op->dst == PKF16 ? F16 : call->op->dst;
}

static uint64_t
negated(enum type type, uint64_t value)
{
   return value ^ format_sign(format_of(type));
}

static void
add(struct call *call)
{
   call->d = real_add(call->mode, type_of(call), S0(call), S1(call));
}

static void
subtract(struct call *call)
{
   call->d = real_add(call->mode, type_of(call), S0(call), negated(type_of(call), S1(call)));
}

static void
subtract_reversed(struct call *call)
{
   call->d = real_add(call->mode, type_of(call), S1(call), negated(type_of(call), S0(call)));
}

static void
multiply(struct call *call)
{
   call->d = real_multiply(call->mode, type_of(call), S0(call), S1(call));
}

static void
fma3(struct call *call)
{
   call->d = real_fma(call->mode, type_of(call), S0(call), S1(call), S2(call));
}

static void
fma_accumulate(struct call *call)
{
   call->d = real_fma(call->mode, type_of(call), S0(call), S1(call), (uint64_t)call->old);
}

/* "DX9 rules, 0.0 * x = 0.0" */
static bool
has_zero_factor(const struct call *call)
{
   return real_is_zero(F32, S0(call)) || real_is_zero(F32, S1(call));
}

static void
multiply_dx9(struct call *call)
{
   if (has_zero_factor(call))
      call->d = 0;
   else
      multiply(call);
}

static void
answer(struct call *call, uint64_t value)
{
   call->d = mode_flushes_results(call->mode, F32) ? real_flush(F32, value) : value;
}

static void
fma_dx9(struct call *call)
{
   if (has_zero_factor(call))
      answer(call, S2(call));
   else
      fma3(call);
}

static void
fma_accumulate_dx9(struct call *call)
{
   if (has_zero_factor(call))
      answer(call, (uint64_t)call->old);
   else
      fma_accumulate(call);
}

/* The sources may be f16 or f32; one rounding, to f32 or to f16 (pitfall: FMA_MIX is fused). */
static void
fma_mix(struct call *call)
{
   mpfr_t x[3], sum;
   bool infinite = false;
   for (unsigned s = 0; s < 3; s++) {
      enum type type = call->instance->op_sel_hi >> s & 1 ? F16 : F32;
      mpfr_init2(x[s], 53);
      real_get(x[s], type, (uint64_t)call->s[s]);
      infinite |= mpfr_inf_p(x[s]) != 0;
   }
   mpfr_init2(sum, EXACT_BITS);
   static const mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
   mpfr_fma(sum, x[0], x[1], x[2], modes[mode_rounding(call->mode, F32)]);
   call->d = real_finish(call->mode, F32, sum, infinite);
   if (call->op->dst == F16) {
      /* MIXLO and MIXHI: f32_to_f16(fma(...)), rounded twice, says the guide's pseudocode. */
      real_get(x[0], F32, (uint64_t)call->d);
      call->unknown = call->mode->fp16_ovfl && mpfr_inf_p(x[0]) && !infinite; /* is that an overflow of f16? */
      call->d = real_finish(call->mode, F16, x[0], mpfr_inf_p(x[0]) && infinite);
   }
   mpfr_clears(x[0], x[1], x[2], sum, (mpfr_ptr)NULL);
}

/* "If (S1 == -MAX_FLOAT || S1 == -INF || isNAN(S1) || S2 <= 0 || isNAN(S2)) -MAX_FLOAT else S0 * S1" */
static void
mullit(struct call *call)
{
   const uint64_t least = 0xff7fffff;
   if (S1(call) == least || S1(call) == 0xff800000 || real_is_nan(F32, S1(call)) || real_is_nan(F32, S2(call)) ||
       real_is_zero(F32, S2(call)) || real_is_negative(F32, S2(call)))
      call->d = least;
   else
      multiply(call);
}

static const struct op ops[] = {
   {"v_add_f16", VOP2, F16, {F16, F16}, add},
   {"v_add_f32", VOP2, F32, {F32, F32}, add},
   {"v_add_f64", VOP3 | NO_DPP, F64, {F64, F64}, add},
   {"v_sub_f16", VOP2, F16, {F16, F16}, subtract},
   {"v_sub_f32", VOP2, F32, {F32, F32}, subtract},
   {"v_subrev_f16", VOP2, F16, {F16, F16}, subtract_reversed},
   {"v_subrev_f32", VOP2, F32, {F32, F32}, subtract_reversed},
   {"v_mul_f16", VOP2, F16, {F16, F16}, multiply},
   {"v_mul_f32", VOP2, F32, {F32, F32}, multiply},
   {"v_mul_f64", VOP3 | NO_DPP, F64, {F64, F64}, multiply},
   {"v_mul_dx9_zero_f32", VOP2, F32, {F32, F32}, multiply_dx9},
   {"v_fma_f16", VOP3, F16, {F16, F16, F16}, fma3},
   {"v_fma_f32", VOP3, F32, {F32, F32, F32}, fma3},
   {"v_fma_f64", VOP3 | NO_DPP, F64, {F64, F64, F64}, fma3},
   {"v_fma_dx9_zero_f32", VOP3 | NO_DPP, F32, {F32, F32, F32}, fma_dx9},
   {"v_fmac_f16", VOP2 | ACCUMULATE, F16, {F16, F16}, fma_accumulate},
   {"v_fmac_f32", VOP2 | ACCUMULATE, F32, {F32, F32}, fma_accumulate},
   {"v_fmac_dx9_zero_f32", VOP2 | ACCUMULATE | NO_DPP, F32, {F32, F32}, fma_accumulate_dx9},
   {"v_fmaak_f16", VOP2 | LITERAL_2 | NO_E64 | NO_DPP, F16, {F16, F16, F16}, fma3},
   {"v_fmaak_f32", VOP2 | LITERAL_2 | NO_E64 | NO_DPP, F32, {F32, F32, F32}, fma3},
   {"v_fmamk_f16", VOP2 | LITERAL_1 | NO_E64 | NO_DPP, F16, {F16, F16, F16}, fma3},
   {"v_fmamk_f32", VOP2 | LITERAL_1 | NO_E64 | NO_DPP, F32, {F32, F32, F32}, fma3},
   {"v_mullit_f32", VOP3, F32, {F32, F32, F32}, mullit},

   {"v_pk_add_f16", VOP3P | PACKED | NO_DPP, PKF16, {PKF16, PKF16}, add},
   {"v_pk_mul_f16", VOP3P | PACKED | NO_DPP, PKF16, {PKF16, PKF16}, multiply},
   {"v_pk_fma_f16", VOP3P | PACKED | NO_DPP, PKF16, {PKF16, PKF16, PKF16}, fma3},
   {"v_pk_fmac_f16", VOP2 | PACKED | ACCUMULATE | NO_DPP | NO_E64, PKF16, {PKF16, PKF16}, fma_accumulate},
   {"v_fma_mix_f32", VOP3P | MIX, F32, {F32, F32, F32}, fma_mix},
   {"v_fma_mixlo_f16", VOP3P | MIX, F16, {F32, F32, F32}, fma_mix},
   {"v_fma_mixhi_f16", VOP3P | MIX | HIGH_RESULT, F16, {F32, F32, F32}, fma_mix},
};

const struct family float_family = {
   .name = "float", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = valu_execute};
