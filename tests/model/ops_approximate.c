/* SPDX-License-Identifier: MIT */
/*
 * What hardware approximates. Accuracy: RDNA3.5 ISA guide, 16.8 (1 ULP for f32, 0.51 ULP for f16, 2^29 ULP for f64).
 * That f32 ignores MODE altogether, and that f16 is a rounded f32 result, was measured on gfx1201 (ROCm's rocjitsu,
 * transcendental pipeline). Sine and cosine have no documented bound; Vulkan asks for 2^-11, this for less.
 */
#include "families.h"
#include "real.h"

#define PRECISION 160

typedef void (*function)(mpfr_t result, const mpfr_t x);

static void
reciprocal(mpfr_t result, const mpfr_t x)
{
   mpfr_ui_div(result, 1, x, MPFR_RNDN);
   if (mpfr_zero_p(x))
      mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1);
}

static void
reciprocal_root(mpfr_t result, const mpfr_t x)
{
   mpfr_rec_sqrt(result, x, MPFR_RNDN);
   if (mpfr_zero_p(x)) /* "rsq(-0.0) = -INF" */
      mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1);
}

static void
root(mpfr_t result, const mpfr_t x)
{
   mpfr_sqrt(result, x, MPFR_RNDN);
}

static void
power_of_two(mpfr_t result, const mpfr_t x)
{
   mpfr_exp2(result, x, MPFR_RNDN);
}

static void
logarithm(mpfr_t result, const mpfr_t x)
{
   mpfr_log2(result, x, MPFR_RNDN);
}

/* The result and its neighbours at a distance, denormals flushed as MODE has it. */
static void
answer_ulps(struct call *call, const mpfr_t exact, int64_t ulps)
{
   enum type type = call->op->dst;
   uint64_t value = real_round(exact, type, 0);
   bool flush = mode_flushes_results(call->mode, type);
   call->d = flush ? real_flush(type, value) : value;
   if (type == F64 && mpfr_number_p(exact) && real_is_infinite(type, value)) {
      /* Whether MODE's rounding decides what overflows is not known for f64. */
      call->unknown = true;
      return;
   }
   if (real_is_nan(type, value) || real_is_infinite(type, value) || real_is_zero(type, value))
      return;
   int64_t order = real_order(type, value), infinity = real_order(type, format_infinity(format_of(type)));
   int64_t low = order - ulps, high = order + ulps;
   low = order >= 0 && low < 0 ? 0 : low < -1 - infinity ? -1 - infinity : low;
   high = order < 0 && high > -1 ? -1 : high > infinity ? infinity : high;
   call->low = real_from_order(type, low);
   call->high = real_from_order(type, high);
   if (flush) {
      call->low = real_flush(type, (uint64_t)call->low);
      call->high = real_flush(type, (uint64_t)call->high);
   }
   call->approximate = true;
}

/* An f32 result with its error, rounded to f16. */
static void
answer_half(struct call *call, mpfr_t exact, bool infinite_input)
{
   call->d = real_finish(call->mode, F16, exact, infinite_input);
   if (!mpfr_regular_p(exact))
      return;
   mpfr_t least, most, error;
   mpfr_inits2(PRECISION, least, most, error, (mpfr_ptr)NULL);
   mpfr_abs(error, exact, MPFR_RNDN);
   mpfr_mul_2si(error, error, -22, MPFR_RNDN);
   mpfr_sub(least, exact, error, MPFR_RNDN);
   mpfr_add(most, exact, error, MPFR_RNDN);
   call->low = real_finish(call->mode, F16, least, infinite_input);
   call->high = real_finish(call->mode, F16, most, infinite_input);
   call->approximate = true;
   mpfr_clears(least, most, error, (mpfr_ptr)NULL);
}

static void
approximate(struct call *call, function compute)
{
   enum type type = call->op->dst;
   mpfr_t x, result;
   mpfr_init2(x, 53);
   mpfr_init2(result, PRECISION);
   real_get(x, type, S0(call));
   compute(result, x);
   if (type == F16) {
      /* A division by zero stays infinite says the guide (3.4.2); gfx1201 was seen to make it the greatest number. */
      call->unknown = call->mode->fp16_ovfl && mpfr_inf_p(result) && mpfr_number_p(x);
      answer_half(call, result, mpfr_inf_p(x));
   } else {
      answer_ulps(call, result, type == F64 ? INT64_C(1) << 29 : 1);
   }
   mpfr_clears(x, result, (mpfr_ptr)NULL);
}

static void
rcp(struct call *call)
{
   approximate(call, reciprocal);
}

static void
rsq(struct call *call)
{
   approximate(call, reciprocal_root);
}

static void
square_root(struct call *call)
{
   approximate(call, root);
}

static void
exp_2(struct call *call)
{
   approximate(call, power_of_two);
}

static void
log_2(struct call *call)
{
   approximate(call, logarithm);
}

/* ---- sine and cosine -------------------------------------------------------------------------------------------- */

/* Of turns. "Full range input is supported." */
static void
turn(struct call *call, int (*compute)(mpfr_t, const mpfr_t, mpfr_rnd_t))
{
   enum type type = call->op->dst;
   mpfr_t x, pi, error;
   mpfr_inits2(PRECISION, x, pi, error, (mpfr_ptr)NULL);
   real_get(x, type, S0(call));
   if (mpfr_inf_p(x))
      mpfr_set_nan(x);
   if (mpfr_number_p(x))
      mpfr_frac(x, x, MPFR_RNDN);
   mpfr_const_pi(pi, MPFR_RNDN);
   mpfr_mul(x, x, pi, MPFR_RNDN);
   mpfr_mul_2si(x, x, 1, MPFR_RNDN);
   compute(x, x, MPFR_RNDN);
   call->d = real_round(x, type, 0);
   if (!real_is_zero(type, S0(call)) && !mpfr_nan_p(x)) {
      mpfr_set_ui_2exp(error, 1, type == F16 ? -11 : -18, MPFR_RNDN);
      mpfr_sub(pi, x, error, MPFR_RNDN);
      call->low = real_round(pi, type, 2);
      mpfr_add(pi, x, error, MPFR_RNDN);
      call->high = real_round(pi, type, 1);
      call->approximate = true;
   }
   mpfr_clears(x, pi, error, (mpfr_ptr)NULL);
}

static void
sine(struct call *call)
{
   turn(call, mpfr_sin);
}

static void
cosine(struct call *call)
{
   turn(call, mpfr_cos);
}

#define SINGLE (VOP1 | FORCE_FLUSH | NEAREST)
#define HALF (VOP1 | NEAREST)
#define DOUBLE (VOP1 | NO_DPP)

static const struct op ops[] = {
   {"v_rcp_f32", SINGLE, F32, {F32}, rcp},
   {"v_rcp_iflag_f32", SINGLE, F32, {F32}, rcp},
   {"v_rsq_f32", SINGLE, F32, {F32}, rsq},
   {"v_sqrt_f32", SINGLE, F32, {F32}, square_root},
   {"v_exp_f32", SINGLE, F32, {F32}, exp_2},
   {"v_log_f32", SINGLE, F32, {F32}, log_2},
   {"v_sin_f32", VOP1 | UNSURE_IN | UNSURE_OUT, F32, {F32}, sine},
   {"v_cos_f32", VOP1 | UNSURE_IN | UNSURE_OUT, F32, {F32}, cosine},
   {"v_rcp_f16", HALF, F16, {F16}, rcp},
   {"v_rsq_f16", HALF, F16, {F16}, rsq},
   {"v_sqrt_f16", HALF, F16, {F16}, square_root},
   {"v_exp_f16", HALF, F16, {F16}, exp_2},
   {"v_log_f16", HALF, F16, {F16}, log_2},
   {"v_sin_f16", HALF | UNSURE_OUT, F16, {F16}, sine},
   {"v_cos_f16", HALF | UNSURE_OUT, F16, {F16}, cosine},
   {"v_rcp_f64", DOUBLE, F64, {F64}, rcp},
   {"v_rsq_f64", DOUBLE, F64, {F64}, rsq},
   {"v_sqrt_f64", DOUBLE, F64, {F64}, square_root},
};

const struct family approximate_family = {
   .name = "approximate", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = valu_execute};
