/* SPDX-License-Identifier: MIT */
/*
 * The steps of a division: DIV_SCALE, DIV_FMAS, DIV_FIXUP, and TRIG_PREOP. The guide's pseudocode has faults that
 * hardware was seen not to have (tinygrad's tests for gfx1100 that run on hardware): DIV_SCALE sets VCC and answers NaN
 * when either number is zero, estimates whether quotients are denormal from exponents alone, and DIV_FMAS scales by
 * 2^64 up or down, depending on S2.
 */
#include "families.h"
#include "real.h"

static uint64_t
scaled(uint64_t value, enum type type, int exponent)
{
   struct mode exact = {.raw = 0};
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, type, value);
   mpfr_mul_2si(x, x, exponent, MPFR_RNDN);
   uint64_t result = real_finish(&exact, type, x, true);
   mpfr_clear(x);
   return result;
}

static void
div_scale(struct call *call)
{
   enum type type = call->op->dst;
   bool twice = type == F64;
   int limit = twice ? 768 : 96, step = twice ? 128 : 64, tiny = twice ? 53 : 23, bias = twice ? 1023 : 127;
   uint64_t value = S0(call), denominator = S1(call), numerator = S2(call);
   bool is_denominator = real_compare(type, value, denominator) == 0,
        is_numerator = real_compare(type, value, numerator) == 0;
   int top = real_exponent(type, numerator), bottom = real_exponent(type, denominator);
   bool small_quotient = top - bottom <= 1 - bias, small_reciprocal = bottom >= 2 * bias - 1;
   /* One binade where an estimate from exponents and an exact test differ; specials, which DIV_FIXUP sorts out; and
    * denormal numerators, of which nothing is known. */
   call->unknown = top - bottom == 1 - bias || top - bottom == -bias || bottom == 2 * bias - 1 || top > 2 * bias ||
                   bottom > 2 * bias || real_is_denormal(type, denominator) || top <= tiny ||
                   real_is_nan(type, value) || real_is_denormal(type, value);
   call->carry = false;
   call->d = value;
   if (real_is_zero(type, numerator) || real_is_zero(type, denominator)) {
      call->unknown = false;
      call->carry = true;
      call->d = format_quiet_nan(format_of(type));
   } else if (top - bottom >= limit) {
      call->carry = true;
      if (is_denominator)
         call->d = scaled(value, type, step);
   } else if (small_reciprocal && small_quotient) {
      call->carry = true;
      if (is_denominator)
         call->d = scaled(value, type, step);
   } else if (small_reciprocal) {
      call->d = scaled(value, type, -step);
      call->unknown |= real_exponent(type, (uint64_t)call->d) == 0; /* rounding and flushing are not told */
   } else if (small_quotient) {
      call->carry = true;
      if (is_numerator)
         call->d = scaled(value, type, step);
   }
   call->unknown |= real_is_infinite(type, (uint64_t)call->d);
}

static void
div_fmas(struct call *call)
{
   enum type type = call->op->dst;
   if (!call->carry) {
      call->d = real_fma(call->mode, type, S0(call), S1(call), S2(call));
      return;
   }
   int bias = type == F64 ? 1023 : 127, step = type == F64 ? 128 : 64;
   struct mode wide_mode = *call->mode;
   wide_mode.flush_out_32 = wide_mode.flush_out_16_64 = false;
   uint64_t sum = real_fma(&wide_mode, type, S0(call), S1(call), S2(call));
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, type, sum);
   mpfr_mul_2si(x, x, real_exponent(type, S2(call)) > bias ? step : -step, MPFR_RNDN);
   call->d = real_finish(call->mode, type, x, mpfr_inf_p(x));
   mpfr_clear(x);
   /* Where the sum or the scaled sum leaves the normal range it matters how often hardware rounds. */
   call->unknown = real_is_denormal(type, sum) || real_is_infinite(type, sum) ||
                   real_exponent(type, (uint64_t)call->d) <= 1 || real_is_infinite(type, (uint64_t)call->d);
}

static void
div_fixup(struct call *call)
{
   enum type type = call->op->dst;
   const struct format *format = format_of(type);
   uint64_t quotient = S0(call), denominator = S1(call), numerator = S2(call);
   uint64_t sign = (denominator ^ numerator) & format_sign(format), infinity = format_infinity(format);
   bool zero = real_is_zero(type, denominator), infinite = real_is_infinite(type, denominator);
   if (real_is_nan(type, numerator))
      call->d = real_quiet(type, numerator);
   else if (real_is_nan(type, denominator))
      call->d = real_quiet(type, denominator);
   else if ((zero && real_is_zero(type, numerator)) || (infinite && real_is_infinite(type, numerator)))
      call->d = format_quiet_nan(format);
   else if (zero || real_is_infinite(type, numerator))
      call->d = sign | infinity;
   else if (infinite || real_is_zero(type, numerator))
      call->d = sign;
   else {
      call->d = sign | (quotient & ~format_sign(format));
      /* A NaN estimate was seen to become infinite in f32; denormal quotients may be flushed; and when the exponents
       * are far enough apart the result is "UNDERFLOW", which has no definition. */
      int apart = real_exponent(type, numerator) - real_exponent(type, denominator);
      call->unknown = real_is_nan(type, quotient) || real_is_denormal(type, quotient) ||
                      real_is_denormal(type, numerator) || real_is_denormal(type, denominator) ||
                      (type == F32 && apart < -150) || (type == F64 && apart < -1075);
   }
}

/* 53 bits of 2/pi from a place on, counted from its binary point. */
static void
trig_preop(struct call *call)
{
   int exponent = real_exponent(F64, S0(call)), shift = (int)(S1(call) & 31) * 53;
   if (exponent > 1077)
      shift += exponent - 1077;
   mpfr_t x;
   mpz_t all;
   mpfr_init2(x, 1300);
   mpz_init(all);
   mpfr_const_pi(x, MPFR_RNDN);
   mpfr_ui_div(x, 2, x, MPFR_RNDN);
   mpfr_mul_2ui(x, x, 1201, MPFR_RNDN); /* the table has 1201 bits */
   mpfr_get_z(all, x, MPFR_RNDZ);
   if (shift > 1201 - 53)
      mpz_mul_2exp(all, all, (unsigned)(shift - (1201 - 53)));
   else
      mpz_fdiv_q_2exp(all, all, (unsigned)(1201 - 53 - shift));
   mpz_fdiv_r_2exp(all, all, 53);
   mpfr_set_z_2exp(x, all, -53 - shift + (exponent >= 1968 ? 128 : 0), MPFR_RNDN);
   call->d = real_finish(call->mode, F64, x, false);
   mpfr_clear(x);
   mpz_clear(all);
}

static const struct op ops[] = {
   {"v_div_scale_f32", VOP3 | UNSURE_IN | NO_DPP | CARRY_OUT | NO_OMOD | NO_CLAMP, F32, {F32, F32, F32}, div_scale},
   {"v_div_scale_f64", VOP3 | UNSURE_IN | NO_DPP | CARRY_OUT | NO_OMOD | NO_CLAMP, F64, {F64, F64, F64}, div_scale},
   {"v_div_fmas_f32", VOP3 | NO_DPP | READS_VCC | NO_OMOD, F32, {F32, F32, F32}, div_fmas},
   {"v_div_fmas_f64", VOP3 | NO_DPP | READS_VCC | NO_OMOD, F64, {F64, F64, F64}, div_fmas},
   {"v_div_fixup_f16", VOP3, F16, {F16, F16, F16}, div_fixup},
   {"v_div_fixup_f32", VOP3 | NO_DPP, F32, {F32, F32, F32}, div_fixup},
   {"v_div_fixup_f64", VOP3 | NO_DPP, F64, {F64, F64, F64}, div_fixup},
   {"v_trig_preop_f64", VOP3 | NO_DPP, F64, {F64, U32}, trig_preop},
};

const struct family divide_family = {
   .name = "divide", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = valu_execute};
