/* SPDX-License-Identifier: MIT */
/* Integer arithmetic of one lane, and dot products. */
#ifndef VGPU_ISA_LANE_INTEGER_H
#define VGPU_ISA_LANE_INTEGER_H

#include "isa/lane_float.h"

static inline int32_t
sext24(int32_t a)
{
   return (int32_t)((uint32_t)a << 8) >> 8;
}

static inline int32_t
saturate_i32(int64_t a)
{
   return (int32_t)(a < INT32_MIN ? INT32_MIN : a > INT32_MAX ? INT32_MAX : a);
}

static inline int16_t
saturate_i16(int64_t a)
{
   return (int16_t)(a < INT16_MIN ? INT16_MIN : a > INT16_MAX ? INT16_MAX : a);
}

static inline uint16_t
saturate_u16(int64_t a)
{
   return (uint16_t)(a < 0 ? 0 : a > UINT16_MAX ? UINT16_MAX : a);
}

static inline uint32_t
saturate_u8(int32_t a)
{
   return a < 0 ? 0 : a > 255 ? 255 : (uint32_t)a;
}

static inline int32_t
bit_field_i32(int32_t a, uint32_t offset, uint32_t width)
{
   uint32_t field = (uint32_t)(a >> offset) & ((1u << width) - 1), sign = width ? 1u << (width - 1) : 0;
   return (int32_t)((field ^ sign) - sign);
}

static inline uint32_t
reverse_bits(uint32_t a)
{
   a = (a & 0x55555555) << 1 | (a >> 1 & 0x55555555);
   a = (a & 0x33333333) << 2 | (a >> 2 & 0x33333333);
   a = (a & 0x0f0f0f0f) << 4 | (a >> 4 & 0x0f0f0f0f);
   return a << 24 | (a & 0xff00) << 8 | (a >> 8 & 0xff00) | a >> 24;
}

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MEDIAN(a, b, c) MAX(MIN(a, b), MIN(MAX(a, b), c))
#define DISTANCE(a, b) ((a) > (b) ? (a) - (b) : (b) - (a))

/* With `masked`, bytes of the reference `b` that are 0 do not count. */
static inline uint32_t
sad_u8(uint32_t a, uint32_t b, uint32_t sum, bool masked)
{
   for (unsigned i = 0; i < 32; i += 8) {
      uint32_t x = a >> i & 0xff, y = b >> i & 0xff;
      sum += masked && !y ? 0 : DISTANCE(x, y);
   }
   return sum;
}

static inline uint64_t
qsad_u8(uint64_t a, uint32_t b, uint64_t c, bool masked, bool clamp)
{
   uint64_t result = 0;
   for (unsigned i = 0; i < 4; i++) {
      uint32_t sum = sad_u8((uint32_t)(a >> i * 8), b, (uint16_t)(c >> i * 16), masked);
      result |= (uint64_t)(uint16_t)(clamp && sum > 0xffff ? 0xffff : sum) << i * 16;
   }
   return result;
}

static inline uint32_t
lerp_u8(uint32_t a, uint32_t b, uint32_t c)
{
   uint32_t result = 0;
   for (unsigned i = 0; i < 32; i += 8)
      result |= ((a >> i & 0xff) + (b >> i & 0xff) + (c >> i & 1)) >> 1 << i;
   return result;
}

/* Selectors 0 to 7: bytes of b, then of a; 8 to 11: the sign of every second byte; 12: 0; above: 0xff. */
static inline uint32_t
permute_bytes(uint32_t a, uint32_t b, uint32_t selectors)
{
   uint64_t data = (uint64_t)a << 32 | b;
   uint32_t result = 0;
   for (unsigned i = 0; i < 32; i += 8) {
      uint32_t selector = selectors >> i & 0xff, byte;
      if (selector < 8)
         byte = data >> selector * 8 & 0xff;
      else if (selector < 12)
         byte = data >> ((selector - 8) * 16 + 15) & 1 ? 0xff : 0;
      else
         byte = selector == 12 ? 0 : 0xff;
      result |= byte << i;
   }
   return result;
}

/* ---- dot products ---- */

static inline float
dot2_f16(uint32_t a, uint32_t b, float c)
{
   return fma_f32(high_half(a), high_half(b), fma_f32(low_half(a), low_half(b), c));
}

static inline float
dot2_bf16(uint32_t a, uint32_t b, float c)
{
   return fma_f32(as_float(a & 0xffff0000), as_float(b & 0xffff0000), fma_f32(as_float(a << 16), as_float(b << 16), c));
}

/* Only what goes in is flushed, not what is between. */
static inline float
dot2_bf16_flushed(uint32_t a, uint32_t b, float c, uint32_t least)
{
   float low = fma_f32(flush_f32(as_float(a << 16), least), flush_f32(as_float(b << 16), least), flush_f32(c, least));
   return fma_f32(flush_f32(as_float(a & 0xffff0000), least), flush_f32(as_float(b & 0xffff0000), least), low);
}

static inline int32_t
dot_integer(uint32_t a, uint32_t b, int32_t c, unsigned bits, unsigned is_signed, bool clamp)
{
   int64_t sum = c;
   for (unsigned i = 0; i < 32; i += bits) {
      int32_t x = (int32_t)(a << (32 - bits - i)), y = (int32_t)(b << (32 - bits - i));
      x = is_signed & 1 ? x >> (32 - bits) : (int32_t)((uint32_t)x >> (32 - bits));
      y = is_signed & 2 ? y >> (32 - bits) : (int32_t)((uint32_t)y >> (32 - bits));
      sum += x * y;
   }
   return clamp ? saturate_i32(sum) : (int32_t)sum;
}

static inline uint32_t
dot_unsigned(uint32_t a, uint32_t b, uint32_t c, unsigned bits, bool clamp)
{
   uint64_t sum = c;
   for (unsigned i = 0; i < 32; i += bits)
      sum += (uint64_t)(a << (32 - bits - i) >> (32 - bits)) * (b << (32 - bits - i) >> (32 - bits));
   return clamp && sum >> 32 ? UINT32_MAX : (uint32_t)sum;
}

#endif
