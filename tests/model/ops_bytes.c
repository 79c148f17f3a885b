/* SPDX-License-Identifier: MIT */
/* Averages and sums of absolute differences of bytes. */
#include "families.h"

static void
answer(struct call *call, wide value)
{
   call->d = call->clamp ? saturate(call->op->dst, value) : (bits)value;
}

static unsigned
byte(bits value, unsigned i)
{
   return (unsigned)(value >> 8 * i) & 0xff;
}

/* Averages, each rounded up where S2 has a bit. */
static void
interpolate(struct call *call)
{
   call->d = 0;
   for (unsigned i = 0; i < 4; i++)
      call->d |= (bits)((byte(call->s[0], i) + byte(call->s[1], i) + (byte(call->s[2], i) & 1)) >> 1) << 8 * i;
}

static uint32_t
sum_of_differences(uint32_t a, uint32_t b, bool masked)
{
   uint32_t sum = 0;
   for (unsigned i = 0; i < 4; i++) {
      int difference = (int)byte(a, i) - (int)byte(b, i);
      if (!masked || byte(b, i))
         sum += (uint32_t)(difference < 0 ? -difference : difference);
   }
   return sum;
}

static void
sad_u8(struct call *call)
{
   answer(call, (wide)sum_of_differences((uint32_t)call->s[0], (uint32_t)call->s[1], false) + source_number(call, 2));
}

static void
sad_hi_u8(struct call *call)
{
   answer(call,
          ((wide)sum_of_differences((uint32_t)call->s[0], (uint32_t)call->s[1], false) << 16) + source_number(call, 2));
}

static void
msad_u8(struct call *call)
{
   answer(call, (wide)sum_of_differences((uint32_t)call->s[0], (uint32_t)call->s[1], true) + source_number(call, 2));
}

static void
sad_u16(struct call *call)
{
   wide sum = source_number(call, 2);
   for (unsigned i = 0; i < 2; i++) {
      int difference = (int)(uint16_t)(S0(call) >> 16 * i) - (int)(uint16_t)(S1(call) >> 16 * i);
      sum += difference < 0 ? -difference : difference;
   }
   answer(call, sum);
}

static void
sad_u32(struct call *call)
{
   wide difference = source_number(call, 0) - source_number(call, 1);
   answer(call, (difference < 0 ? -difference : difference) + source_number(call, 2));
}

/* Four sums, of the bytes of S0 from byte 0, 1, 2 and 3 on. */
static void
four_sums(struct call *call, bool masked, unsigned size)
{
   call->d = 0;
   for (unsigned i = 0; i < 4; i++) {
      bits addend = call->s[2] >> size * i & (((bits)1 << size) - 1);
      wide sum = (wide)sum_of_differences((uint32_t)(S0(call) >> 8 * i), (uint32_t)S1(call), masked) + (wide)addend;
      enum type type = size == 16 ? U16 : U32;
      bits cut = call->clamp ? saturate(type, sum) : (bits)sum & (((bits)1 << size) - 1);
      call->d |= cut << size * i;
   }
}

static void
qsad(struct call *call)
{
   four_sums(call, false, 16);
}

static void
mqsad_u16(struct call *call)
{
   four_sums(call, true, 16);
}

static void
mqsad_u32(struct call *call)
{
   four_sums(call, true, 32);
}

static const struct op ops[] = {
   {"v_lerp_u8", VOP3, U32, {B32, B32, B32}, interpolate},
   {"v_sad_u8", VOP3 | CLAMPS, U32, {B32, B32, U32}, sad_u8},
   {"v_sad_hi_u8", VOP3 | CLAMPS, U32, {B32, B32, U32}, sad_hi_u8},
   {"v_sad_u16", VOP3 | CLAMPS, U32, {B32, B32, U32}, sad_u16},
   {"v_sad_u32", VOP3 | CLAMPS, U32, {U32, U32, U32}, sad_u32},
   {"v_msad_u8", VOP3 | CLAMPS, U32, {B32, B32, U32}, msad_u8},
   {"v_qsad_pk_u16_u8", VOP3 | NO_DPP | CLAMPS, B64, {B64, B32, B64}, qsad},
   {"v_mqsad_pk_u16_u8", VOP3 | NO_DPP | CLAMPS, B64, {B64, B32, B64}, mqsad_u16},
   {"v_mqsad_u32_u8", VOP3 | NO_DPP | CLAMPS, B128, {B64, B32, B128}, mqsad_u32},
};

const struct family bytes_family = {
   .name = "bytes", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = valu_execute};
