/* SPDX-License-Identifier: MIT */
/*
 * Floating point arithmetic of one lane. Plain expressions without branches where it can be, so that the compiler makes
 * vectors of them; denormals and rounding of floats and doubles are the host's (MXCSR follows MODE).
 */
#ifndef VGPU_ISA_LANE_FLOAT_H
#define VGPU_ISA_LANE_FLOAT_H

#include <math.h>

#include "isa/half.h"

/* product + c of doubles, made odd where it is not exact: rounding it again, to less than 52 bits, then gives what
 * rounding once would, whatever the direction. On bits, since vectors of any x86-64 do not compare 64-bit numbers. */
static inline double
odd_sum(double product, double c)
{
   double sum = product + c, c_part = sum - product;
   double error = (product - (sum - c_part)) + (c - c_part);
   uint64_t rest = double_bits(error == error ? error : 0), magnitude = rest << 1, bits = double_bits(sum);
   uint64_t inexact = (magnitude | -magnitude) >> 63, beyond = (rest ^ bits) >> 63 & inexact;
   return as_double((bits - beyond) | inexact);
}

/* Without the instruction there is only a call for each lane, and a slow one; for exceptions it is right, since the
 * host's flags then are those of one operation. The product of floats is exact in a double. */
static inline float
fma_f32(float a, float b, float c)
{
#if defined __FMA__ || defined EXCEPTIONS
   return __builtin_fmaf(a, b, c);
#else
   float result = (float)odd_sum((double)a * b, c);
   return a != a ? a + a : b != b ? b + b : c != c ? c + c : result;
#endif
}

static inline double
fma_f64(double a, double b, double c)
{
   return __builtin_fma(a, b, c);
}

/* Of halfs, to be rounded to a half by the caller: 24 bits of the sum, cut off and made odd, which a float has room for
 * and which tell the half apart from its neighbours. */
static inline float
fma_f16(float a, float b, float c)
{
   const uint64_t low = 0x1fffffff; /* bits that a float lacks */
   uint64_t bits = double_bits(odd_sum((double)a * b, c));
   return (float)as_double((bits | ((bits & low) + low)) & ~low);
}

/* Denormals to 0 of their sign where magnitudes below `least` are to go. Arithmetic proper has the host do that. */
static inline float
flush_f32(float a, uint32_t least)
{
   uint32_t bits = float_bits(a), sign = bits & 0x80000000;
   return as_float((int32_t)(bits ^ sign) < (int32_t)least ? sign : bits);
}

static inline float
quiet_f32(float a)
{
   return a != a ? as_float(float_bits(a) | 0x400000) : a;
}

/* A NaN loses, and -0 is less than +0. With MODE.IEEE a signalling NaN wins, but that is seen to in its
 * sources. */
static inline float
min_f32(float a, float b)
{
   bool first = a < b || (a == b && (int32_t)float_bits(a) < 0);
   return b != b ? a : a != a ? b : first ? a : b;
}

static inline float
max_f32(float a, float b)
{
   bool first = a > b || (a == b && (int32_t)float_bits(a) >= 0);
   return b != b ? a : a != a ? b : first ? a : b;
}

static inline double
min_f64(double a, double b)
{
   bool first = a < b || (a == b && (int64_t)double_bits(a) < 0);
   return b != b ? a : a != a ? b : first ? a : b;
}

static inline double
max_f64(double a, double b)
{
   bool first = a > b || (a == b && (int64_t)double_bits(a) >= 0);
   return b != b ? a : a != a ? b : first ? a : b;
}

/* Floats in order as signed numbers, -0 before +0; the way back is the same. */
static inline int32_t
order_f32(uint32_t bits)
{
   return (int32_t)(bits ^ ((uint32_t)((int32_t)bits >> 31) & 0x7fffffff));
}

/* The greatest is left out, and both zeros are equal as it is found (RDNA3 ISA guide, 16.12, V_MED3_F32). */
static inline float
med3_f32(float a, float b, float c)
{
   int32_t x = order_f32(float_bits(a)), y = order_f32(float_bits(b)), z = order_f32(float_bits(c));
   int32_t xy = x > y ? x : y, xz = x > z ? x : z, yz = y > z ? y : z, greatest = xy > z ? xy : z;
   greatest = greatest == -1 ? 0 : greatest;
   int32_t median = greatest == (y == -1 ? 0 : y) ? xz : xy;
   median = greatest == (x == -1 ? 0 : x) ? yz : median;
   float least = min_f32(min_f32(a, b), c);
   return (a != a) | (b != b) | (c != c) ? least : as_float((uint32_t)order_f32((uint32_t)median));
}

/* The fraction stays below 1 although the difference of a tiny negative number may round to it. */
static inline float
fract_f32(float a)
{
   float fraction = a - __builtin_floorf(a);
   return fraction >= 1 ? 0x1.fffffep-1f : fraction;
}

static inline float
fract_f16(float a)
{
   float fraction = a - __builtin_floorf(a);
   return fraction > 0x1.ffcp-1f ? 0x1.ffcp-1f : fraction;
}

static inline double
fract_f64(double a)
{
   double fraction = a - __builtin_floor(a);
   return fraction >= 1 ? 0x1.fffffffffffffp-1 : fraction;
}

static inline float
sin_revolutions(float a)
{
   if (a == 0)
      return a;
   return (float)sin((a - floor((double)a)) * 6.283185307179586476925);
}

static inline float
cos_revolutions(float a)
{
   return (float)cos((a - floor((double)a)) * 6.283185307179586476925);
}

static inline bool
is_finite_f64(double a)
{
   return a - a == 0;
}

static inline int
frexp_exponent_f64(double a)
{
   int exponent = 0;
   if (is_finite_f64(a))
      frexp(a, &exponent);
   return exponent;
}

static inline double
frexp_mantissa_f64(double a)
{
   int exponent;
   return is_finite_f64(a) ? frexp(a, &exponent) : a;
}

static inline int
frexp_exponent_f32(float a)
{
   return frexp_exponent_f64(a);
}

static inline float
frexp_mantissa_f32(float a)
{
   return (float)frexp_mantissa_f64(a);
}

static inline double
ldexp_f64(double a, int exponent)
{
   return ldexp(a, exponent);
}

/* In double, so that there is one rounding; what goes beyond a double goes beyond a float first. */
static inline float
ldexp_f32(float a, int exponent)
{
   int bounded = exponent < -400 ? -400 : exponent > 400 ? 400 : exponent;
   return (float)((double)a * as_double((uint64_t)(1023 + bounded) << 52));
}

/* For halfs: what a float has no room for is no infinity yet, since an overflow may have to stay finite. */
static inline float
still_finite(float result, float source)
{
   return isinf(result) && !isinf(source) ? copysignf(0x1p127f, result) : result;
}

static inline float
ldexp_f16(float a, int exponent)
{
   return still_finite(ldexp_f32(a, exponent), a);
}

static inline float
exp2_f16(float a)
{
   return still_finite(exp2f(a), a);
}

/* Bits of v_cmp_class: signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf. */
static inline uint32_t
class_bit(bool negative, bool nan, bool quiet, bool infinite, bool zero, bool denormal)
{
   if (nan)
      return quiet ? 2 : 1;
   unsigned bit = infinite ? 2 : zero ? 5 : denormal ? 4 : 3;
   return negative ? 1u << bit : 1u << (11 - bit);
}

static inline uint32_t
class_f32(uint32_t bits)
{
   uint32_t magnitude = bits & 0x7fffffff;
   return class_bit(bits >> 31, magnitude > 0x7f800000, magnitude & 0x400000, magnitude == 0x7f800000, !magnitude,
                    magnitude < 0x800000);
}

static inline uint32_t
class_f16(uint32_t bits)
{
   uint32_t magnitude = bits & 0x7fff;
   return class_bit(bits >> 15 & 1, magnitude > 0x7c00, magnitude & 0x200, magnitude == 0x7c00, !magnitude,
                    magnitude < 0x400);
}

static inline uint32_t
class_f64(uint64_t bits)
{
   uint64_t magnitude = bits & ~(UINT64_C(1) << 63);
   return class_bit(bits >> 63, magnitude > UINT64_C(0x7ff) << 52, magnitude >> 51 & 1,
                    magnitude == UINT64_C(0x7ff) << 52, !magnitude, magnitude < UINT64_C(1) << 52);
}

/* ---- conversions to integers: saturating, NaN is 0 ---- */

static inline int32_t
float_to_i32(float a)
{
   float bounded = a < -0x1p31f ? -0x1p31f : a;
   int32_t value = bounded >= 0x1p31f ? INT32_MAX : (int32_t)(bounded >= 0x1p31f ? 0 : bounded);
   return a != a ? 0 : value;
}

static inline uint32_t
float_to_u32(float a)
{
   float bounded = a > 0 ? a : 0;
   return bounded >= 0x1p32f ? UINT32_MAX : (uint32_t)(int64_t)bounded;
}

static inline int32_t
double_to_i32(double a)
{
   if (a != a)
      return 0;
   return a <= -0x1p31 ? INT32_MIN : a >= 0x1p31 ? INT32_MAX : (int32_t)a;
}

static inline uint32_t
double_to_u32(double a)
{
   return !(a > 0) ? 0 : a >= 0x1p32 ? UINT32_MAX : (uint32_t)a;
}

/* floor(a + 0.5), exactly. */
static inline int32_t
float_to_nearest_i32(float a)
{
   return float_to_i32((float)__builtin_floor((double)a + 0.5));
}

static inline int32_t
saturate_float(float a, int32_t least, int32_t most)
{
   return a != a ? 0 : a <= (float)least ? least : a >= (float)most ? most : (int32_t)a;
}

static inline int32_t
float_to_snorm(float a)
{
   float bounded = a != a ? 0 : a < -1 ? -1 : a > 1 ? 1 : a;
   return (int32_t)__builtin_roundeven((double)bounded * 32767);
}

static inline int32_t
float_to_unorm(float a)
{
   float bounded = a > 0 ? a : 0;
   return (int32_t)__builtin_roundeven((double)(bounded > 1 ? 1 : bounded) * 65535);
}

/* ---- cube maps ---- */

static inline float
cube_id(float x, float y, float z)
{
   if (fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y))
      return z < 0 ? 5 : 4;
   if (fabsf(y) >= fabsf(x))
      return y < 0 ? 3 : 2;
   return x < 0 ? 1 : 0;
}

static inline float
cube_s(float x, float y, float z)
{
   if (fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y))
      return z < 0 ? -x : x;
   if (fabsf(y) >= fabsf(x))
      return x;
   return x < 0 ? z : -z;
}

static inline float
cube_t(float x, float y, float z)
{
   if (fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y))
      return -y;
   if (fabsf(y) >= fabsf(x))
      return y < 0 ? -z : z;
   return -y;
}

static inline float
cube_major_axis(float x, float y, float z)
{
   if (fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y))
      return z * 2;
   if (fabsf(y) >= fabsf(x))
      return y * 2;
   return x * 2;
}

static inline float
mullit(float a, float b, float c)
{
   bool least = b == -0x1.fffffep127f || b == -INFINITY || b != b || !(c > 0);
   return least ? -0x1.fffffep127f : a * b;
}

#endif
