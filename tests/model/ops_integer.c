/* SPDX-License-Identifier: MIT */
/* Integers of vector operations. Results are computed exactly and then cut, or saturated where CLAMP does. */
#include "families.h"

static enum type
type_of(const struct call *call)
{
   const struct op *op = call->op;
   if (!(op->flags & PACKED))
      return op->dst;
   /* v_pk_NAME_i16 and v_pk_NAME_u16 */
   return op->name[__builtin_strlen(op->name) - 3] == 'i' ? I16 : U16;
}

static wide
number(const struct call *call, unsigned s)
{
   const struct op *op = call->op;
   return integer(op->flags & PACKED ? type_of(call) : op->src[s], call->s[s]);
}

static void
answer(struct call *call, wide value)
{
   call->d = call->clamp ? saturate(type_of(call), value) : (bits)value;
}

/* ---- sums and products ------------------------------------------------------------------------------------------ */

static void
add(struct call *call)
{
   answer(call, number(call, 0) + number(call, 1));
}

static void
subtract(struct call *call)
{
   answer(call, number(call, 0) - number(call, 1));
}

static void
subtract_reversed(struct call *call)
{
   answer(call, number(call, 1) - number(call, 0));
}

static void
add3(struct call *call)
{
   call->d = call->s[0] + call->s[1] + call->s[2];
}

static void
multiply(struct call *call)
{
   call->d = (bits)(number(call, 0) * number(call, 1));
}

static void
multiply_high(struct call *call)
{
   call->d = (bits)(number(call, 0) * number(call, 1) >> 32);
}

static void
multiply_add(struct call *call)
{
   answer(call, number(call, 0) * number(call, 1) + number(call, 2));
}

static wide
number24(const struct call *call, unsigned s)
{
   uint32_t value = (uint32_t)call->s[s] & 0xffffff;
   return type_is_signed(call->op->dst) && value >> 23 ? (wide)value - 0x1000000 : (wide)value;
}

static void
multiply24(struct call *call)
{
   call->d = (bits)(number24(call, 0) * number24(call, 1));
}

static void
multiply24_high(struct call *call)
{
   call->d = (bits)(number24(call, 0) * number24(call, 1) >> 32);
}

static void
multiply24_add(struct call *call)
{
   answer(call, number24(call, 0) * number24(call, 1) + number(call, 2));
}

/* ---- minimum and maximum ---------------------------------------------------------------------------------------- */

static wide
least(wide a, wide b)
{
   return a < b ? a : b;
}

static wide
greatest(wide a, wide b)
{
   return a > b ? a : b;
}

static void
minimum(struct call *call)
{
   call->d = (bits)least(number(call, 0), number(call, 1));
}

static void
maximum(struct call *call)
{
   call->d = (bits)greatest(number(call, 0), number(call, 1));
}

static void
minimum3(struct call *call)
{
   call->d = (bits)least(least(number(call, 0), number(call, 1)), number(call, 2));
}

static void
maximum3(struct call *call)
{
   call->d = (bits)greatest(greatest(number(call, 0), number(call, 1)), number(call, 2));
}

static void
minimum_of_maximum(struct call *call)
{
   call->d = (bits)least(greatest(number(call, 0), number(call, 1)), number(call, 2));
}

static void
maximum_of_minimum(struct call *call)
{
   call->d = (bits)greatest(least(number(call, 0), number(call, 1)), number(call, 2));
}

static void
median(struct call *call)
{
   wide a = number(call, 0), b = number(call, 1), c = number(call, 2);
   call->d = (bits)greatest(least(a, b), least(greatest(a, b), c));
}

#define PACKED3 (VOP3P | PACKED | NO_DPP)

static const struct op ops[] = {
   {"v_add_nc_u32", VOP2 | CLAMPS, U32, {U32, U32}, add},
   {"v_sub_nc_u32", VOP2 | CLAMPS, U32, {U32, U32}, subtract},
   {"v_subrev_nc_u32", VOP2 | CLAMPS, U32, {U32, U32}, subtract_reversed},
   {"v_add_nc_i32", VOP3 | CLAMPS, I32, {I32, I32}, add},
   {"v_sub_nc_i32", VOP3 | CLAMPS, I32, {I32, I32}, subtract},
   {"v_add_nc_u16", VOP3 | CLAMPS, U16, {U16, U16}, add},
   {"v_sub_nc_u16", VOP3 | CLAMPS, U16, {U16, U16}, subtract},
   {"v_add_nc_i16", VOP3 | CLAMPS, I16, {I16, I16}, add},
   {"v_sub_nc_i16", VOP3 | CLAMPS, I16, {I16, I16}, subtract},
   {"v_add3_u32", VOP3, U32, {U32, U32, U32}, add3},
   {"v_mul_lo_u32", VOP3 | NO_DPP, U32, {U32, U32}, multiply},
   {"v_mul_hi_u32", VOP3 | NO_DPP, U32, {U32, U32}, multiply_high},
   {"v_mul_hi_i32", VOP3 | NO_DPP, I32, {I32, I32}, multiply_high},
   {"v_mul_lo_u16", VOP3, U16, {U16, U16}, multiply},
   {"v_mul_i32_i24", VOP2, I32, {I32, I32}, multiply24},
   {"v_mul_u32_u24", VOP2, U32, {U32, U32}, multiply24},
   {"v_mul_hi_i32_i24", VOP2, I32, {I32, I32}, multiply24_high},
   {"v_mul_hi_u32_u24", VOP2, U32, {U32, U32}, multiply24_high},
   {"v_mad_i32_i24", VOP3 | CLAMPS, I32, {I32, I32, I32}, multiply24_add},
   {"v_mad_u32_u24", VOP3 | CLAMPS, U32, {U32, U32, U32}, multiply24_add},
   {"v_mad_u16", VOP3 | CLAMPS, U16, {U16, U16, U16}, multiply_add},
   {"v_mad_i16", VOP3 | CLAMPS, I16, {I16, I16, I16}, multiply_add},
   {"v_mad_u32_u16", VOP3 | CLAMPS, U32, {U16, U16, U32}, multiply_add},
   {"v_mad_i32_i16", VOP3 | CLAMPS, I32, {I16, I16, I32}, multiply_add},
   {"v_min_i32", VOP2, I32, {I32, I32}, minimum},
   {"v_min_u32", VOP2, U32, {U32, U32}, minimum},
   {"v_max_i32", VOP2, I32, {I32, I32}, maximum},
   {"v_max_u32", VOP2, U32, {U32, U32}, maximum},
   {"v_min_i16", VOP3, I16, {I16, I16}, minimum},
   {"v_min_u16", VOP3, U16, {U16, U16}, minimum},
   {"v_max_i16", VOP3, I16, {I16, I16}, maximum},
   {"v_max_u16", VOP3, U16, {U16, U16}, maximum},
   {"v_min3_i32", VOP3, I32, {I32, I32, I32}, minimum3},
   {"v_min3_u32", VOP3, U32, {U32, U32, U32}, minimum3},
   {"v_max3_i32", VOP3, I32, {I32, I32, I32}, maximum3},
   {"v_max3_u32", VOP3, U32, {U32, U32, U32}, maximum3},
   {"v_med3_i32", VOP3, I32, {I32, I32, I32}, median},
   {"v_med3_u32", VOP3, U32, {U32, U32, U32}, median},
   {"v_min3_i16", VOP3, I16, {I16, I16, I16}, minimum3},
   {"v_min3_u16", VOP3, U16, {U16, U16, U16}, minimum3},
   {"v_max3_i16", VOP3, I16, {I16, I16, I16}, maximum3},
   {"v_max3_u16", VOP3, U16, {U16, U16, U16}, maximum3},
   {"v_med3_i16", VOP3, I16, {I16, I16, I16}, median},
   {"v_med3_u16", VOP3, U16, {U16, U16, U16}, median},
   {"v_maxmin_u32", VOP3, U32, {U32, U32, U32}, minimum_of_maximum},
   {"v_minmax_u32", VOP3, U32, {U32, U32, U32}, maximum_of_minimum},
   {"v_maxmin_i32", VOP3, I32, {I32, I32, I32}, minimum_of_maximum},
   {"v_minmax_i32", VOP3, I32, {I32, I32, I32}, maximum_of_minimum},
   {"v_pk_add_u16", PACKED3 | CLAMPS, PK16, {PK16, PK16}, add},
   {"v_pk_add_i16", PACKED3 | CLAMPS, PK16, {PK16, PK16}, add},
   {"v_pk_sub_u16", PACKED3 | CLAMPS, PK16, {PK16, PK16}, subtract},
   {"v_pk_sub_i16", PACKED3 | CLAMPS, PK16, {PK16, PK16}, subtract},
   {"v_pk_mul_lo_u16", PACKED3, PK16, {PK16, PK16}, multiply},
   {"v_pk_mad_u16", PACKED3 | CLAMPS, PK16, {PK16, PK16, PK16}, multiply_add},
   {"v_pk_mad_i16", PACKED3 | CLAMPS, PK16, {PK16, PK16, PK16}, multiply_add},
   {"v_pk_min_u16", PACKED3, PK16, {PK16, PK16}, minimum},
   {"v_pk_min_i16", PACKED3, PK16, {PK16, PK16}, minimum},
   {"v_pk_max_u16", PACKED3, PK16, {PK16, PK16}, maximum},
   {"v_pk_max_i16", PACKED3, PK16, {PK16, PK16}, maximum},
};

const struct family integer_family = {
   .name = "integer", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = valu_execute};
