/* SPDX-License-Identifier: MIT */
/*
 * TRAPSTS.EXCP: what arithmetic remarks of its operands and results. RDNA3 ISA guide, 3.4.9; denormals are allowed, and
 * DX10_CLAMP, which "suppresses all VALU exceptions" (3.4.2), is off. Results themselves are other families' business.
 */
#include <math.h>
#include <string.h>

#include "families.h"
#include "generate.h"
#include "real.h"

enum {
   INVALID = 1 << 0,        /* "0 * inf, 0/0, sqrt(-x), any input is SNaN" */
   INPUT_DENORMAL = 1 << 1, /* "one or more operands was subnormal" */
   DIVIDE_BY_ZERO = 1 << 2, /* "Float X / 0" */
   OVERFLOWN = 1 << 3,      /* "The rounded result would be larger than the largest finite number" */
   UNDERFLOWN = 1 << 4,     /* "The exact or rounded result is less than the smallest normal number" */
   INEXACT = 1 << 5, /* "The rounded result of a valid operation is different from the infinitely precise result" */
   INTEGER_DIVIDE_BY_ZERO = 1 << 6,
   ALL = (1 << 7) - 1
};

static void
raise(struct call *call, unsigned exceptions)
{
   call->after->trapsts |= exceptions;
}

/* Nothing that counts says whether these are raised. */
static void
leave_open(struct call *call, unsigned exceptions)
{
   call->after->trapsts_unknown |= exceptions;
}

/* Operands first: true if the result is worth a look. A NaN's company is not: may it be denormal, may 0 * inf meet it?
 */
static bool
judge_operands(struct call *call, unsigned count)
{
   bool nan = false, denormal = false;
   for (unsigned s = 0; s < count; s++) {
      enum type type = call->op->src[s];
      nan = nan || real_is_nan(type, (uint64_t)call->s[s]);
      denormal = denormal || real_is_denormal(type, (uint64_t)call->s[s]);
      if (real_is_signaling(type, (uint64_t)call->s[s]))
         raise(call, INVALID);
   }
   if (denormal && nan)
      leave_open(call, INPUT_DENORMAL);
   else if (denormal)
      raise(call, INPUT_DENORMAL);
   if (nan && count > 2)
      leave_open(call, INVALID);
   return !nan;
}

/* A finite result, before it is rounded. Whether a tiny one counts that is exact, or that rounds to a normal number, is
 * told one way by the guide and the other way by IEEE 754. */
static void
judge_result(struct call *call, enum type type, const mpfr_t exact)
{
   if (mpfr_zero_p(exact))
      return;
   const struct format *format = format_of(type);
   long bias = (1l << (format->exponent_bits - 1)) - 1;
   unsigned rounding = mode_rounding(call->mode, type);
   static const mpfr_rnd_t modes[4] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
   mpfr_t unbounded, rounded;
   mpfr_inits2(format->fraction_bits + 1, unbounded, rounded, (mpfr_ptr)NULL);
   mpfr_set(unbounded, exact, modes[rounding]);
   bool tiny_before = mpfr_get_exp(exact) < 2 - bias, tiny_after = mpfr_get_exp(unbounded) < 2 - bias;
   uint64_t value = real_round(exact, type, rounding);
   if (mpfr_get_exp(unbounded) > bias + 1) {
      raise(call, OVERFLOWN | INEXACT);
   } else {
      mpfr_set_prec(rounded, 53);
      real_get(rounded, type, value);
      bool inexact = !mpfr_equal_p(rounded, exact);
      raise(call, inexact ? INEXACT : 0);
      if (tiny_after && inexact)
         raise(call, UNDERFLOWN);
      else if (tiny_before || tiny_after)
         leave_open(call, UNDERFLOWN);
   }
   mpfr_clears(unbounded, rounded, (mpfr_ptr)NULL);
}

/* a * b + c, of which sums and products are cases. */
static void
judge_fma(struct call *call, uint64_t a, uint64_t b, uint64_t c)
{
   enum type type = call->op->dst;
   bool product_infinite = real_is_infinite(type, a) || real_is_infinite(type, b);
   if (product_infinite && (real_is_zero(type, a) || real_is_zero(type, b))) {
      raise(call, INVALID);
      return;
   }
   bool negative = real_is_negative(type, a) != real_is_negative(type, b);
   if (product_infinite || real_is_infinite(type, c)) {
      if (product_infinite && real_is_infinite(type, c) && negative != real_is_negative(type, c))
         raise(call, INVALID);
      return;
   }
   mpfr_t x, y, z;
   mpfr_inits2(EXACT_BITS, x, y, z, (mpfr_ptr)NULL);
   real_get(x, type, a);
   real_get(y, type, b);
   real_get(z, type, c);
   mpfr_mul(x, x, y, MPFR_RNDN);
   mpfr_add(x, x, z, MPFR_RNDN);
   judge_result(call, type, x);
   mpfr_clears(x, y, z, (mpfr_ptr)NULL);
}

static uint64_t
one(enum type type)
{
   return real_from_double(type, 1, 0);
}

static void
add(struct call *call)
{
   call->unknown = true;
   if (judge_operands(call, 2))
      judge_fma(call, S0(call), one(call->op->dst), S1(call));
}

static void
subtract(struct call *call)
{
   call->unknown = true;
   if (judge_operands(call, 2))
      judge_fma(call, S0(call), one(call->op->dst), S1(call) ^ format_sign(format_of(call->op->dst)));
}

static void
multiply(struct call *call)
{
   call->unknown = true;
   if (judge_operands(call, 2))
      judge_fma(call, S0(call), S1(call), 0);
}

static void
fma_three(struct call *call)
{
   call->unknown = true;
   if (judge_operands(call, 3))
      judge_fma(call, S0(call), S1(call), S2(call));
}

/* Approximations: what they remark of the result depends on how they come to it. */
static void
reciprocal(struct call *call)
{
   call->unknown = true;
   leave_open(call, OVERFLOWN | UNDERFLOWN | INEXACT);
   if (!judge_operands(call, 1))
      return;
   if (real_is_zero(call->op->src[0], S0(call)))
      raise(call, DIVIDE_BY_ZERO);
   else if (real_is_denormal(call->op->src[0], S0(call))) /* may be taken for zero */
      leave_open(call, DIVIDE_BY_ZERO);
}

/* "Reciprocal with exceptions limited to integer divide by zero" */
static void
reciprocal_for_integers(struct call *call)
{
   call->unknown = true;
   leave_open(call, ALL & ~(INTEGER_DIVIDE_BY_ZERO | DIVIDE_BY_ZERO));
   if (real_is_zero(F32, S0(call)))
      raise(call, INTEGER_DIVIDE_BY_ZERO);
   else if (real_is_denormal(F32, S0(call)))
      leave_open(call, INTEGER_DIVIDE_BY_ZERO);
}

static void
root(struct call *call)
{
   call->unknown = true;
   leave_open(call, OVERFLOWN | UNDERFLOWN | INEXACT);
   enum type type = call->op->src[0];
   bool reciprocal_too = strstr(call->op->name, "rsq") != NULL;
   if (!judge_operands(call, 1))
      return;
   if (real_is_denormal(type, S0(call))) /* may be taken for zero */
      leave_open(call, INVALID | DIVIDE_BY_ZERO);
   else if (real_is_zero(type, S0(call)))
      raise(call, reciprocal_too ? DIVIDE_BY_ZERO : 0);
   else if (real_is_negative(type, S0(call)))
      raise(call, INVALID);
}

/* To a smaller float, or a larger one. */
static void
convert_float(struct call *call)
{
   call->unknown = true;
   enum type type = call->op->src[0];
   if (!judge_operands(call, 1) || real_is_infinite(type, S0(call)))
      return;
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, type, S0(call));
   judge_result(call, call->op->dst, x);
   mpfr_clear(x);
}

static void
convert_from_integer(struct call *call)
{
   call->unknown = true;
   mpfr_t x;
   mpfr_init2(x, 53);
   mpfr_set_d(x, (double)source_number(call, 0), MPFR_RNDN);
   judge_result(call, call->op->dst, x);
   mpfr_clear(x);
}

#define BINARY(name, function)                          \
   {"v_" name "_f32", VOP2, F32, {F32, F32}, function}, \
   {                                                    \
      "v_" name "_f16", VOP2, F16, {F16, F16}, function \
   }
#define UNARY(name, function)                                                                      \
   {"v_" name "_f32", VOP1, F32, {F32}, function}, {"v_" name "_f16", VOP1, F16, {F16}, function}, \
   {                                                                                               \
      "v_" name "_f64", VOP1 | NO_DPP, F64, {F64}, function                                        \
   }

static const struct op ops[] = {
   BINARY("add", add),
   BINARY("sub", subtract),
   BINARY("mul", multiply),
   {"v_add_f64", VOP3 | NO_DPP, F64, {F64, F64}, add},
   {"v_mul_f64", VOP3 | NO_DPP, F64, {F64, F64}, multiply},
   {"v_fma_f32", VOP3, F32, {F32, F32, F32}, fma_three},
   {"v_fma_f16", VOP3, F16, {F16, F16, F16}, fma_three},
   {"v_fma_f64", VOP3 | NO_DPP, F64, {F64, F64, F64}, fma_three},
   UNARY("rcp", reciprocal),
   UNARY("rsq", root),
   UNARY("sqrt", root),
   {"v_rcp_iflag_f32", VOP1, F32, {F32}, reciprocal_for_integers},
   {"v_cvt_f16_f32", VOP1, F16, {F32}, convert_float},
   {"v_cvt_f32_f16", VOP1, F32, {F16}, convert_float},
   {"v_cvt_f32_f64", VOP1 | NO_DPP, F32, {F64}, convert_float},
   {"v_cvt_f64_f32", VOP1 | NO_DPP, F64, {F32}, convert_float},
   {"v_cvt_f32_i32", VOP1, F32, {I32}, convert_from_integer},
   {"v_cvt_f32_u32", VOP1, F32, {U32}, convert_from_integer},
};

static void
choose(struct random *random, struct instance *instance)
{
   (void)random;
   instance->clamp = false;
   instance->omod = 0;
}

/* Few lanes, so that what one raises is not covered by what another does. */
static void
prepare(struct random *random, const struct instance *instance, struct machine *machine)
{
   machine->mode = (machine->mode & ~(1u << 8 | 1u << 23)) | 0xf0;
   machine->trapsts = random_chance(random, 20) ? random_below(random, 128) : 0;
   machine->trapsts_unknown = ~(uint32_t)ALL;
   if (random_chance(random, 80))
      machine->exec = UINT64_C(1) << random_below(random, instance->wave64 ? 64 : 32);
}

const struct family exception_family = {
   .name = "exception",
   .ops = ops,
   .count = sizeof ops / sizeof ops[0],
   .execute = valu_execute,
   .choose = choose,
   .prepare = prepare,
};
