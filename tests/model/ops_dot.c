/* SPDX-License-Identifier: MIT */
/* Dot products of halves, bytes and nibbles. NEG and OP_SEL have meanings of their own here (RDNA3 ISA guide, 7.5). */
#include "families.h"
#include "real.h"

/* ---- floats ----------------------------------------------------------------------------------------------------- */

static uint64_t
modified(const struct call *call, unsigned s, unsigned half, enum type type)
{
   const struct instance *instance = call->instance;
   unsigned select = half ? instance->op_sel_hi : instance->op_sel, negate = half ? instance->neg_hi : instance->neg;
   bool is_vop3p = call->op->flags & VOP3P;
   uint64_t value = (uint64_t)(call->s[s] >> 16 * (is_vop3p ? select >> s & 1 : half)) & 0xffff;
   if (!is_vop3p && instance->abs >> s & 1)
      value &= 0x7fff;
   return (is_vop3p ? negate : instance->neg) >> s & 1 ? value ^ format_sign(format_of(type)) : value;
}

/* A sum of three terms, and how it may come out. */
struct sum {
   mpfr_t exact, greatest, finite; /* the greatest term's magnitude, and the magnitudes of all finite terms */
   mpfr_t tiny;                    /* of all denormal terms: those may be flushed before they are added */
   bool infinite;                  /* an operand was */
   enum type type;
};

static void
sum_init(struct sum *sum, enum type type)
{
   sum->type = type;
   mpfr_inits2(EXACT_BITS, sum->exact, sum->greatest, sum->finite, sum->tiny, (mpfr_ptr)NULL);
   mpfr_set_zero(sum->tiny, 1);
   mpfr_set_zero(sum->exact, -1);
   mpfr_set_zero(sum->greatest, 1);
   mpfr_set_zero(sum->finite, 1);
   sum->infinite = false;
}

static void
sum_finish(struct sum *sum)
{
   mpfr_clears(sum->exact, sum->greatest, sum->finite, sum->tiny, (mpfr_ptr)NULL);
}

static void
sum_add(struct sum *sum, mpfr_t term)
{
   mpfr_add(sum->exact, sum->exact, term, MPFR_RNDN);
   mpfr_abs(term, term, MPFR_RNDN);
   if (mpfr_number_p(term)) {
      mpfr_max(sum->greatest, sum->greatest, term, MPFR_RNDN);
      mpfr_add(sum->finite, sum->finite, term, MPFR_RNDN);
      if (mpfr_regular_p(term) && mpfr_get_exp(term) < 3 - (1 << (format_of(sum->type)->exponent_bits - 1)))
         mpfr_add(sum->tiny, sum->tiny, term, MPFR_RNDN);
   }
}

/* Hardware may sum in any order and width ("up to 1 ULP difference due to internal implementation", says tinygrad of
 * gfx1100): right is what is off by no more than an ULP of the greatest term, two where MODE may direct both roundings;
 * but at least two of the least denormals. */
static void
answer(struct call *call, const struct sum *sum, enum type result, bool flush_in, bool flush)
{
   const struct format *format = format_of(result);
   int least = 2 - (1 << (format->exponent_bits - 1)) - format->fraction_bits;
   struct mode nearest = *call->mode, down, up;
   nearest.round_32 = nearest.round_16_64 = 0;
   nearest.flush_out_32 = nearest.flush_out_16_64 = flush;
   down = up = nearest;
   down.round_32 = 2;
   up.round_32 = 1;
   call->d = real_finish(&nearest, result, sum->exact, sum->infinite);
   mpfr_t error, bound;
   mpfr_inits2(EXACT_BITS, error, bound, (mpfr_ptr)NULL);
   /* A partial sum that overflows makes all the difference. */
   real_get(bound, result, format_largest(format));
   call->unknown = mpfr_cmpabs(sum->finite, bound) > 0;
   if (mpfr_number_p(sum->exact)) {
      mpfr_mul_2si(error, sum->greatest, (result == F32) - format->fraction_bits, MPFR_RNDN);
      mpfr_set_ui_2exp(bound, 2, least, MPFR_RNDN);
      mpfr_max(error, error, bound, MPFR_RNDN);
      if (flush_in || flush) /* partial sums are results and operands */
         mpfr_add(error, error, sum->tiny, MPFR_RNDN);
      mpfr_sub(bound, sum->exact, error, MPFR_RNDN);
      call->low = real_finish(&down, result, bound, sum->infinite);
      mpfr_add(bound, sum->exact, error, MPFR_RNDN);
      call->high = real_finish(&up, result, bound, sum->infinite);
      if (real_is_zero(result, (uint64_t)call->low))
         call->low = format_sign(format);
      if (real_is_zero(result, (uint64_t)call->high))
         call->high = 0;
      call->approximate = true;
   }
   mpfr_clears(error, bound, (mpfr_ptr)NULL);
}

static void
dot2_of(struct call *call, enum type type, enum type result, uint64_t addend, bool flush_in, bool flush_out)
{
   struct sum sum;
   mpfr_t a, b;
   sum_init(&sum, result);
   mpfr_inits2(53, a, b, (mpfr_ptr)NULL);
   if (flush_in && result != F32)
      addend = real_flush(result, addend);
   sum.infinite = real_is_infinite(result, addend);
   real_get(a, result, addend);
   sum_add(&sum, a);
   for (unsigned half = 0; half < 2; half++) {
      uint64_t x = modified(call, 0, half, type), y = modified(call, 1, half, type);
      real_get(a, type, flush_in ? real_flush(type, x) : x);
      real_get(b, type, flush_in ? real_flush(type, y) : y);
      sum.infinite |= mpfr_inf_p(a) || mpfr_inf_p(b);
      mpfr_mul(a, a, b, MPFR_RNDN);
      sum_add(&sum, a);
   }
   answer(call, &sum, result, flush_in, flush_out);
   mpfr_clears(a, b, (mpfr_ptr)NULL);
   sum_finish(&sum);
}

static uint64_t
addend32(const struct call *call)
{
   const struct instance *instance = call->instance;
   uint64_t value = S2(call);
   return instance->neg >> 2 & 1 ? value ^ 0x80000000 : value;
}

static void
dot2_f32_f16(struct call *call)
{
   uint64_t addend = call->mode->flush_in_32 ? real_flush(F32, addend32(call)) : addend32(call);
   dot2_of(call, F16, F32, addend, call->mode->flush_in_16_64, call->mode->flush_out_32);
}

static void
dot2_f32_bf16(struct call *call)
{
   uint64_t addend = call->mode->flush_in_32 ? real_flush(F32, addend32(call)) : addend32(call);
   dot2_of(call, BF16, F32, addend, call->mode->flush_in_32, call->mode->flush_out_32);
}

static void
dot2acc_f32_f16(struct call *call)
{
   dot2_of(call, F16, F32, (uint64_t)call->old, call->mode->flush_in_16_64, call->mode->flush_out_32);
}

static uint64_t
addend16(const struct call *call)
{
   const struct instance *instance = call->instance;
   uint64_t value = S2(call) >> (instance->op_sel >> 2 & 1 ? 16 : 0) & 0xffff;
   if (instance->abs >> 2 & 1)
      value &= 0x7fff;
   return instance->neg >> 2 & 1 ? value ^ 0x8000 : value;
}

/* "DOT2_F16_F16 supports denorms, and DOT2_BF16_BF16 disables all denorms"; both round to nearest even (7.2.4). */
static void
dot2_f16_f16(struct call *call)
{
   dot2_of(call, F16, F16, addend16(call), call->mode->flush_in_16_64, call->mode->flush_out_16_64);
}

static void
dot2_bf16_bf16(struct call *call)
{
   dot2_of(call, BF16, BF16, addend16(call), true, true);
}

/* ---- integers --------------------------------------------------------------------------------------------------- */

/* "NEG[1:0] = signed(1)/unsigned(0) for src0 and src1" */
static wide
element(const struct call *call, unsigned s, unsigned i, unsigned size)
{
   uint32_t value = (uint32_t)(call->s[s] >> size * i) & ((1u << size) - 1);
   bool is_signed = type_is_signed(call->op->dst) && call->instance->neg >> s & 1;
   return is_signed && value >> (size - 1) ? (wide)value - (1 << size) : (wide)value;
}

static void
dot_integers(struct call *call, unsigned size)
{
   enum type type = call->op->dst;
   wide sum = integer(type, call->s[2]);
   for (unsigned i = 0; i < 32 / size; i++)
      sum += element(call, 0, i, size) * element(call, 1, i, size);
   call->d = call->clamp ? saturate(type, sum) : (bits)sum;
}

static void
dot4(struct call *call)
{
   dot_integers(call, 8);
}

static void
dot8(struct call *call)
{
   dot_integers(call, 4);
}

static const struct op ops[] = {
   {"v_dot2_f32_f16", VOP3P | RAW | FLOAT_PAIRS | NO_CLAMP, F32, {PKF16, PKF16, F32}, dot2_f32_f16},
   {"v_dot2_f32_bf16", VOP3P | NO_DPP | RAW | FLOAT_PAIRS | NO_CLAMP, F32, {PKF16, PKF16, F32}, dot2_f32_bf16},
   {"v_dot2acc_f32_f16", VOP2 | RAW | ACCUMULATE | NO_E64, F32, {PKF16, PKF16}, dot2acc_f32_f16},
   {"v_dot2_f16_f16", VOP3 | RAW | NO_OMOD | NO_CLAMP, F16, {PKF16, PKF16, F16}, dot2_f16_f16},
   {"v_dot2_bf16_bf16", VOP3 | RAW | NO_OMOD | NO_CLAMP, BF16, {PKF16, PKF16, BF16}, dot2_bf16_bf16},
   {"v_dot4_i32_iu8", VOP3P | RAW | NO_DPP | CLAMPS | SIGNS, I32, {B32, B32, I32}, dot4},
   {"v_dot4_u32_u8", VOP3P | RAW | NO_DPP | CLAMPS, U32, {B32, B32, U32}, dot4},
   {"v_dot8_i32_iu4", VOP3P | RAW | NO_DPP | CLAMPS | SIGNS, I32, {B32, B32, I32}, dot8},
   {"v_dot8_u32_u4", VOP3P | RAW | NO_DPP | CLAMPS, U32, {B32, B32, U32}, dot8},
};

const struct family dot_family = {
   .name = "dot", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = valu_execute};
