/* SPDX-License-Identifier: MIT */
/* Floats to floats of integer value, and taking floats apart. */
#include "families.h"
#include "real.h"

static void
round_to_integer(struct call *call, mpfr_rnd_t rounding)
{
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, call->op->dst, S0(call));
   if (mpfr_number_p(x))
      mpfr_rint(x, x, rounding);
   call->d = real_round(x, call->op->dst, 0);
   mpfr_clear(x);
}

static void
truncate(struct call *call)
{
   round_to_integer(call, MPFR_RNDZ);
}

static void
ceiling(struct call *call)
{
   round_to_integer(call, MPFR_RNDU);
}

static void
floor_of(struct call *call)
{
   round_to_integer(call, MPFR_RNDD);
}

static void
nearest_even(struct call *call)
{
   round_to_integer(call, MPFR_RNDN);
}

/* "Obey round mode, result clamped to 0x3f7fffff." */
static void
fraction(struct call *call)
{
   enum type type = call->op->dst;
   const struct format *format = format_of(type);
   uint64_t one = (uint64_t)((1 << (format->exponent_bits - 1)) - 1) << format->fraction_bits;
   mpfr_t x, floor;
   mpfr_inits2(EXACT_BITS, x, floor, (mpfr_ptr)NULL);
   real_get(x, type, S0(call));
   if (mpfr_inf_p(x))
      mpfr_set_nan(x);
   static const mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
   if (mpfr_number_p(x)) {
      mpfr_rint(floor, x, MPFR_RNDD);
      mpfr_sub(x, x, floor, modes[mode_rounding(call->mode, type)]);
   }
   call->d = real_finish(call->mode, type, x, false);
   if (call->d == one)
      call->d = one - 1;
   mpfr_clears(x, floor, (mpfr_ptr)NULL);
}

/* "S0 = significand * (2 ** exponent)", as the C library's frexp(). */
static void
mantissa(struct call *call)
{
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, call->op->dst, S0(call));
   if (mpfr_regular_p(x))
      mpfr_set_exp(x, 0);
   call->d = mpfr_nan_p(x) ? S0(call) : real_round(x, call->op->dst, 0);
   mpfr_clear(x);
}

static void
exponent(struct call *call)
{
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, call->op->src[0], S0(call));
   call->d = mpfr_regular_p(x) ? (bits)(wide)mpfr_get_exp(x) : 0;
   mpfr_clear(x);
}

static void
load_exponent(struct call *call)
{
   enum type type = call->op->dst;
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, type, S0(call));
   long exponent = (long)integer(call->op->src[1], call->s[1]);
   exponent = exponent > 5000 ? 5000 : exponent < -5000 ? -5000 : exponent; /* out of any format's range */
   mpfr_mul_2si(x, x, exponent, MPFR_RNDN);
   call->d = real_finish(call->mode, type, x, mpfr_inf_p(x) && real_is_infinite(type, S0(call)));
   mpfr_clear(x);
}

static const struct op ops[] = {
   {"v_trunc_f16", VOP1, F16, {F16}, truncate},
   {"v_trunc_f32", VOP1, F32, {F32}, truncate},
   {"v_trunc_f64", VOP1 | NO_DPP, F64, {F64}, truncate},
   {"v_ceil_f16", VOP1, F16, {F16}, ceiling},
   {"v_ceil_f32", VOP1, F32, {F32}, ceiling},
   {"v_ceil_f64", VOP1 | NO_DPP, F64, {F64}, ceiling},
   {"v_floor_f16", VOP1, F16, {F16}, floor_of},
   {"v_floor_f32", VOP1, F32, {F32}, floor_of},
   {"v_floor_f64", VOP1 | NO_DPP, F64, {F64}, floor_of},
   {"v_rndne_f16", VOP1, F16, {F16}, nearest_even},
   {"v_rndne_f32", VOP1, F32, {F32}, nearest_even},
   {"v_rndne_f64", VOP1 | NO_DPP, F64, {F64}, nearest_even},
   {"v_fract_f16", VOP1, F16, {F16}, fraction},
   {"v_fract_f32", VOP1, F32, {F32}, fraction},
   {"v_fract_f64", VOP1 | NO_DPP, F64, {F64}, fraction},
   {"v_frexp_mant_f16", VOP1 | UNSURE_IN, F16, {F16}, mantissa},
   {"v_frexp_mant_f32", VOP1 | UNSURE_IN, F32, {F32}, mantissa},
   {"v_frexp_mant_f64", VOP1 | NO_DPP | UNSURE_IN, F64, {F64}, mantissa},
   {"v_frexp_exp_i16_f16", VOP1 | UNSURE_IN, I16, {F16}, exponent},
   {"v_frexp_exp_i32_f32", VOP1 | UNSURE_IN, I32, {F32}, exponent},
   {"v_frexp_exp_i32_f64", VOP1 | NO_DPP | UNSURE_IN, I32, {F64}, exponent},
   {"v_ldexp_f16", VOP2, F16, {F16, I16}, load_exponent},
   {"v_ldexp_f32", VOP3, F32, {F32, I32}, load_exponent},
   {"v_ldexp_f64", VOP3 | NO_DPP, F64, {F64, I32}, load_exponent},
};

const struct family round_family = {
   .name = "round", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = valu_execute};
