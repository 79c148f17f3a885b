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

static inline bool
is_denormal_f32(double a)
{
   return a != 0 && fabs(a) < 0x1p-126;
}

static inline float
div_scale_f32(float value, float denominator, float numerator, bool *scaled)
{
   *scaled = false;
   if (numerator == 0 || denominator == 0)
      return as_float(0x7fc00000);
   bool reciprocal_denormal = is_denormal_f32(1 / (double)denominator);
   bool quotient_denormal = is_denormal_f32((double)numerator / denominator);
   if ((int)exponent_f32(numerator) - (int)exponent_f32(denominator) >= 96) {
      *scaled = true;
      return value == denominator ? ldexp_f32(value, 64) : value;
   }
   if (exponent_f32(denominator) == 0)
      return ldexp_f32(value, 64);
   if (reciprocal_denormal && quotient_denormal) {
      *scaled = true;
      return value == denominator ? ldexp_f32(value, 64) : value;
   }
   if (reciprocal_denormal)
      return ldexp_f32(value, -64);
   if (quotient_denormal) {
      *scaled = true;
      return value == numerator ? ldexp_f32(value, 64) : value;
   }
   return exponent_f32(numerator) <= 23 ? ldexp_f32(value, 64) : value;
}

static inline bool
is_denormal_f64(double a)
{
   return a != 0 && exponent_f64(a) == 0;
}

static inline double
div_scale_f64(double value, double denominator, double numerator, bool *scaled)
{
   *scaled = false;
   if (numerator == 0 || denominator == 0)
      return as_double(UINT64_C(0x7ff8) << 48);
   bool reciprocal_denormal = is_denormal_f64(1 / denominator);
   bool quotient_denormal = is_denormal_f64(numerator / denominator);
   if ((int)exponent_f64(numerator) - (int)exponent_f64(denominator) >= 768) {
      *scaled = true;
      return value == denominator ? ldexp(value, 128) : value;
   }
   if (is_denormal_f64(denominator))
      return ldexp(value, 128);
   if (reciprocal_denormal && quotient_denormal) {
      *scaled = true;
      return value == denominator ? ldexp(value, 128) : value;
   }
   if (reciprocal_denormal)
      return ldexp(value, -128);
   if (quotient_denormal) {
      *scaled = true;
      return value == numerator ? ldexp(value, 128) : value;
   }
   return exponent_f64(numerator) <= 53 ? ldexp(value, 128) : value;
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
      result = fabs(quotient);
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
