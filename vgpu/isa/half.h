/* SPDX-License-Identifier: MIT */
/* Numbers of 16 bits, which are computed as floats; and floating point numbers as bits. */
#ifndef VGPU_ISA_HALF_H
#define VGPU_ISA_HALF_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float
as_float(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof value);
   return value;
}

static inline uint32_t
float_bits(float value)
{
   uint32_t bits;
   memcpy(&bits, &value, sizeof bits);
   return bits;
}

static inline double
as_double(uint64_t bits)
{
   double value;
   memcpy(&value, &bits, sizeof value);
   return value;
}

static inline uint64_t
double_bits(double value)
{
   uint64_t bits;
   memcpy(&bits, &value, sizeof bits);
   return bits;
}

/* Exact. A denormal half is 1.m * 2^-14 less 2^-14, so no denormal float appears on the way; a host that rounds down
 * makes -0 of 0. */
static inline float
from_half(uint16_t half)
{
   uint32_t magnitude = half & 0x7fff, sign = (uint32_t)(half & 0x8000) << 16;
   uint32_t normal = (magnitude << 13) + (112u << 23);
   uint32_t special = (magnitude << 13) + (224u << 23);
   uint32_t denormal = float_bits(as_float(0x38800000 | magnitude << 13) - 0x1p-14f) & 0x7fffffff;
   uint32_t bits = magnitude < 0x400 ? denormal : magnitude >= 0x7c00 ? special : normal;
   return as_float(bits | sign);
}

/* How a float becomes a half: MODE's rounding, and what MODE says of results too large or too small. */
enum half_mode {
   ROUND_NEAREST_EVEN,
   ROUND_PLUS_INFINITY,
   ROUND_MINUS_INFINITY,
   ROUND_ZERO,
   HALF_ROUNDING = 3,
   HALF_FINITE = 4, /* what overflows becomes the largest number; infinities stay (FP16_OVFL) */
   HALF_FLUSH = 8   /* denormal results become 0 */
};

/* Whether the largest numbers below a power of 2, of 24 bits, become it when rounded to 11: a result is tiny if it is
 * below the smallest normal number after such rounding. */
static inline bool
rounds_to_power(uint32_t mantissa, unsigned rounding, uint32_t sign)
{
   if (rounding == ROUND_NEAREST_EVEN)
      return mantissa >= 0xfff000;
   return rounding == (sign ? ROUND_MINUS_INFINITY : ROUND_PLUS_INFINITY) && mantissa > 0xffe000;
}

static inline uint16_t
to_half(float value, unsigned mode)
{
   uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
   unsigned rounding = mode & HALF_ROUNDING;
   if (magnitude > 0x7f800000)
      return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
   if (magnitude == 0x7f800000)
      return (uint16_t)(sign | 0x7c00);

   /* The value is mantissa * 2^-shift in units of the half's last place; what is shifted out rounds. */
   int exponent = (int)(magnitude >> 23);
   uint32_t mantissa = (magnitude & 0x7fffff) | (exponent ? 0x800000 : 0);
   int shift = exponent >= 113 ? 13 : 126 - exponent;
   uint32_t result, rest, half_unit;
   if (shift > 25) {
      result = 0;
      rest = mantissa ? 1 : 0;
      half_unit = 2;
   } else {
      result = mantissa >> shift;
      rest = mantissa & ((1u << shift) - 1);
      half_unit = 1u << (shift - 1);
   }
   if (exponent >= 113)
      result += (uint32_t)(exponent - 113) << 10;
   bool up = rounding == ROUND_NEAREST_EVEN     ? rest > half_unit || (rest == half_unit && (result & 1))
             : rounding == ROUND_PLUS_INFINITY  ? rest && !sign
             : rounding == ROUND_MINUS_INFINITY ? rest && sign
                                                : false;
   result += up;
   if (result >= 0x7c00) {
      bool to_infinity = rounding == ROUND_NEAREST_EVEN || (rounding == ROUND_PLUS_INFINITY && !sign) ||
                         (rounding == ROUND_MINUS_INFINITY && sign);
      result = to_infinity && !(mode & HALF_FINITE) ? 0x7c00 : 0x7bff;
   }
   if (mode & HALF_FLUSH && exponent < 113)
      result = exponent == 112 && rounds_to_power(mantissa, rounding, sign) ? 0x400 : 0;
   return (uint16_t)(sign | result);
}

static inline uint16_t
to_half_rtz(float value)
{
   return to_half(value, ROUND_ZERO);
}

static inline uint32_t
flush_half(uint32_t half)
{
   return half & 0x7c00 ? half : half & 0x8000;
}

static inline uint32_t
pack_half_rtz(float low, float high, bool flush)
{
   uint32_t a = to_half_rtz(low), b = to_half_rtz(high);
   return flush ? flush_half(a) | flush_half(b) << 16 : a | b << 16;
}

/* bfloat16, nearest even. */
static inline uint16_t
to_bfloat(float value)
{
   uint32_t bits = float_bits(value);
   if (value != value)
      return (uint16_t)(bits >> 16 | 0x40);
   return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float
from_bfloat(uint16_t value)
{
   return as_float((uint32_t)value << 16);
}

static inline float
low_half(uint32_t packed)
{
   return from_half((uint16_t)packed);
}

static inline float
high_half(uint32_t packed)
{
   return from_half((uint16_t)(packed >> 16));
}

static inline uint32_t
pack_half(float low, float high, unsigned mode)
{
   return to_half(low, mode) | (uint32_t)to_half(high, mode) << 16;
}

#endif
