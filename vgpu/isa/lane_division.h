/* SPDX-License-Identifier: MIT */
/* The steps of a division that the hardware does: a / b is scale, reciprocal, Newton steps, fmas, fixup; and the first
 * step of reducing the argument of a sine. */
#ifndef VGPU_ISA_LANE_DIVISION_H
#define VGPU_ISA_LANE_DIVISION_H

#include "isa/lane_float.h"

static inline unsigned
exponent_f32(float a)
{
   return float_bits(a) >> 23 & 0xff;
}

static inline unsigned
exponent_f64(double a)
{
   return double_bits(a) >> 52 & 0x7ff;
}

/* The hardware looks at exponents alone to tell what would be denormal, the reciprocal of the denominator or the
 * quotient; both cases include a few numbers that just are not. An operand is scaled where the other would go out of
 * range, and the flag says that v_div_fmas must scale the quotient back. With a zero the result is a NaN and the flag
 * set (seen on silicon; RDNA3 ISA guide, 16.12, V_DIV_SCALE_F32, has no flag there). */
static inline int
div_scaling(int numerator, int denominator, bool denominator_denormal, int near_greatest, int least_exponent, int bias,
            bool is_denominator, bool is_numerator, bool *scaled)
{
   bool reciprocal_denormal = denominator >= 2 * bias - 1;
   bool quotient_denormal = numerator - denominator <= 1 - bias;
   *scaled = false;
   if (numerator - denominator >= near_greatest) {
      *scaled = true;
      return is_denominator ? 1 : 0;
   }
   if (denominator_denormal)
      return 1;
   if (reciprocal_denormal && quotient_denormal) {
      *scaled = true;
      return is_denominator ? -1 : 0;
   }
   if (reciprocal_denormal)
      return -1;
   if (quotient_denormal) {
      *scaled = true;
      return is_numerator ? 1 : 0;
   }
   return numerator <= least_exponent ? 1 : 0;
}

static inline float
div_scale_f32(float value, float denominator, float numerator, bool *scaled)
{
   if (numerator == 0 || denominator == 0) {
      *scaled = true;
      return as_float(0x7fc00000);
   }
   int scaling =
      div_scaling((int)exponent_f32(numerator), (int)exponent_f32(denominator), exponent_f32(denominator) == 0, 96, 23,
                  127, value == denominator, value == numerator, scaled);
   return scaling ? ldexp_f32(value, scaling * 64) : value;
}

static inline double
div_scale_f64(double value, double denominator, double numerator, bool *scaled)
{
   if (numerator == 0 || denominator == 0) {
      *scaled = true;
      return as_double(UINT64_C(0x7ff8) << 48);
   }
   int scaling =
      div_scaling((int)exponent_f64(numerator), (int)exponent_f64(denominator), exponent_f64(denominator) == 0, 768, 53,
                  1023, value == denominator, value == numerator, scaled);
   return scaling ? ldexp(value, scaling * 128) : value;
}

/* Undoes the scaling: up or down as the addend, an approximation of the quotient, is large or small (seen on silicon;
 * the guide has one fixed factor). */
static inline float
div_fmas_f32(float a, float b, float c, bool scale)
{
   float result = fma_f32(a, b, c);
   return scale ? result * (exponent_f32(c) > 127 ? 0x1p64f : 0x1p-64f) : result;
}

static inline double
div_fmas_f64(double a, double b, double c, bool scale)
{
   double result = fma_f64(a, b, c);
   return scale ? result * (exponent_f64(c) > 1023 ? 0x1p128 : 0x1p-128) : result;
}

static inline double
div_fixup(double quotient, double denominator, double numerator, int least_difference)
{
   bool negative = signbit(denominator) != signbit(numerator);
   double result;
   if (numerator != numerator)
      return numerator;
   if (denominator != denominator)
      return denominator;
   if ((denominator == 0 && numerator == 0) || (isinf(denominator) && isinf(numerator)))
      return -(double)NAN;
   if (denominator == 0 || isinf(numerator))
      result = INFINITY;
   else if (isinf(denominator) || numerator == 0)
      result = 0;
   else if ((int)exponent_f64(numerator) - (int)exponent_f64(denominator) < least_difference)
      result = 0; /* underflow */
   else
      result = quotient != quotient ? INFINITY : fabs(quotient);
   return negative ? -result : result;
}

static inline float
div_fixup_f32(float quotient, float denominator, float numerator)
{
   return (float)div_fixup(quotient, denominator, numerator, -150);
}

static inline double
div_fixup_f64(double quotient, double denominator, double numerator)
{
   return div_fixup(quotient, denominator, numerator, -1075);
}

/* 53 bits of 2/pi for the reduction of large arguments. 1201 bits of it, the most significant first. */
static inline double
trig_preop(double a, uint32_t segment)
{
   static const uint32_t two_over_pi[38] = {
      0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
      0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
      0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
      0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
      0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};
   int shift = (int)(segment & 31) * 53, exponent = (int)exponent_f64(a);
   if (exponent > 1077)
      shift += exponent - 1077;
   uint64_t mantissa = 0;
   for (int i = 0; i < 53; i++) {
      int bit = shift + i;
      mantissa = mantissa << 1 | (bit < 1201 ? two_over_pi[bit / 32] >> (31 - bit % 32) & 1 : 0);
   }
   return ldexp((double)mantissa, -53 - shift + (exponent >= 1968 ? 128 : 0));
}

#endif
