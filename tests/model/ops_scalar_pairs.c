/* SPDX-License-Identifier: MIT */
/* SOP2, SOPC and SOPK. Where a result sets SCC because it is not 0, `answer` does. */
#include <string.h>

#include "families.h"

static void
select(struct call *call)
{
   call->d = call->carry ? call->s[0] : call->s[1];
}

static void
add_unsigned(struct call *call)
{
   wide sum = source_number(call, 0) + source_number(call, 1);
   call->d = (bits)sum;
   call->carry = sum >> 32;
}

static void
subtract_unsigned(struct call *call)
{
   wide difference = source_number(call, 0) - source_number(call, 1);
   call->d = (bits)difference;
   call->carry = difference < 0;
}

static void
add_carry(struct call *call)
{
   wide sum = source_number(call, 0) + source_number(call, 1) + call->carry;
   call->d = (bits)sum;
   call->carry = sum >> 32;
}

static void
subtract_borrow(struct call *call)
{
   wide difference = source_number(call, 0) - source_number(call, 1) - call->carry;
   call->d = (bits)difference;
   call->carry = difference < 0;
}

/* SCC: the result does not fit. */
static void
answer_signed(struct call *call, wide value)
{
   call->d = (bits)value;
   call->carry = value != (int32_t)value;
}

static void
add_signed(struct call *call)
{
   answer_signed(call, source_number(call, 0) + source_number(call, 1));
}

static void
subtract_signed(struct call *call)
{
   answer_signed(call, source_number(call, 0) - source_number(call, 1));
}

static void
absolute_difference(struct call *call)
{
   int32_t difference =
      (int32_t)(uint32_t)(source_number(call, 0) - source_number(call, 1)); /* wraps before the sign is looked at */
   scalar_answer(call, (bits)(difference < 0 ? -(wide)difference : difference));
}

static unsigned
shift_amount(const struct call *call)
{
   return (unsigned)call->s[1] & (type_bits(call->op->dst) - 1);
}

static void
shift_left(struct call *call)
{
   scalar_answer(call, call->s[0] << shift_amount(call));
}

static void
shift_right(struct call *call)
{
   scalar_answer(call, call->s[0] >> shift_amount(call));
}

static void
shift_arithmetic(struct call *call)
{
   scalar_answer(call, (bits)(source_number(call, 0) >> shift_amount(call)));
}

static void
shift_add(struct call *call)
{
   unsigned amount = (unsigned)(call->op->name[sizeof "s_lshl" - 1] - '0');
   bits sum = (call->s[0] << amount) + call->s[1];
   call->d = sum;
   call->carry = sum >> 32 != 0;
}

static void
minimum(struct call *call)
{
   call->carry = source_number(call, 0) < source_number(call, 1);
   call->d = call->s[call->carry ? 0 : 1];
}

static void
maximum(struct call *call)
{
   call->carry = source_number(call, 0) >= source_number(call, 1);
   call->d = call->s[call->carry ? 0 : 1];
}

static void
logical(struct call *call)
{
   scalar_answer(call, scalar_logic(call->op->name, S0(call), S1(call)));
}

/* s_and_not1 and s_or_not1 negate the second source. */
static void
logical_not1(struct call *call)
{
   scalar_answer(call, call->op->name[2] == 'a' ? call->s[0] & ~call->s[1] : call->s[0] | ~call->s[1]);
}

static void
extract(struct call *call)
{
   unsigned size = type_bits(call->op->dst), offset = (unsigned)call->s[1] & (size - 1);
   unsigned width = (unsigned)(call->s[1] >> 16) & 0x7f;
   bits field = (bits)(source_number(call, 0) >> offset);
   if (width < size) {
      field &= ((bits)1 << width) - 1;
      if (type_is_signed(call->op->dst) && width && field >> (width - 1))
         field |= ~(bits)0 << width;
   }
   scalar_answer(call, field);
}

static void
mask(struct call *call)
{
   unsigned size = type_bits(call->op->dst);
   call->d = (((bits)1 << (call->s[0] & (size - 1))) - 1) << (call->s[1] & (size - 1));
}

static void
multiply(struct call *call)
{
   call->d = (bits)(source_number(call, 0) * source_number(call, 1));
}

static void
multiply_high(struct call *call)
{
   call->d = (bits)(source_number(call, 0) * source_number(call, 1) >> 32);
}

/* s_pack_ll, lh, hh, hl: which half of the first source is below, which half of the second above. */
static void
pack(struct call *call)
{
   const char *halves = call->op->name + sizeof "s_pack_" - 1;
   uint64_t low = (S0(call) >> (halves[0] == 'h' ? 16 : 0)) & 0xffff;
   uint64_t high = (S1(call) >> (halves[1] == 'h' ? 16 : 0)) & 0xffff;
   call->d = low | high << 16;
}

/* ---- comparisons and immediates ---------------------------------------------------------------------------------- */

static void
compare(struct call *call)
{
   const char *condition = strstr(call->op->name, "cmp") + 3;
   condition += *condition == 'k' ? 2 : 1;
   wide a = source_number(call, 0), b = source_number(call, 1);
   if (!strncmp(condition, "eq", 2))
      call->carry = a == b;
   else if (!strncmp(condition, "lg", 2))
      call->carry = a != b;
   else if (!strncmp(condition, "gt", 2))
      call->carry = a > b;
   else if (!strncmp(condition, "ge", 2))
      call->carry = a >= b;
   else if (!strncmp(condition, "lt", 2))
      call->carry = a < b;
   else
      call->carry = a <= b;
}

static void
test_bit(struct call *call)
{
   unsigned bit = (unsigned)call->s[1] & (type_bits(call->op->src[0]) - 1);
   bool wanted = call->op->name[sizeof "s_bitcmp" - 1] == '1';
   call->carry = (call->s[0] >> bit & 1) == wanted;
}

static void
add_immediate(struct call *call)
{
   answer_signed(call, integer(I32, call->old) + source_number(call, 0));
}

static void
multiply_immediate(struct call *call)
{
   call->d = (bits)(integer(I32, call->old) * source_number(call, 0));
}

#define BOTH(name, function)                              \
   {"s_" name "_b32", SCALAR, B32, {B32, B32}, function}, \
   {                                                      \
      "s_" name "_b64", SCALAR, B64, {B64, B64}, function \
   }
#define COMPARE(condition)                                                         \
   {"s_cmp_" condition "_i32", SCALAR, NONE, {I32, I32}, compare},                 \
      {"s_cmp_" condition "_u32", SCALAR, NONE, {U32, U32}, compare},              \
      {"s_cmpk_" condition "_i32", SCALAR | IMMEDIATE, NONE, {I32, I16}, compare}, \
   {                                                                               \
      "s_cmpk_" condition "_u32", SCALAR | IMMEDIATE, NONE, {U32, U16}, compare    \
   }

static const struct op ops[] = {
   {"s_add_u32", SCALAR, U32, {U32, U32}, add_unsigned},
   {"s_sub_u32", SCALAR, U32, {U32, U32}, subtract_unsigned},
   {"s_addc_u32", SCALAR, U32, {U32, U32}, add_carry},
   {"s_subb_u32", SCALAR, U32, {U32, U32}, subtract_borrow},
   {"s_add_i32", SCALAR, I32, {I32, I32}, add_signed},
   {"s_sub_i32", SCALAR, I32, {I32, I32}, subtract_signed},
   {"s_absdiff_i32", SCALAR, I32, {I32, I32}, absolute_difference},
   {"s_lshl_b32", SCALAR, B32, {B32, U32}, shift_left},
   {"s_lshl_b64", SCALAR, B64, {B64, U32}, shift_left},
   {"s_lshr_b32", SCALAR, B32, {B32, U32}, shift_right},
   {"s_lshr_b64", SCALAR, B64, {B64, U32}, shift_right},
   {"s_ashr_i32", SCALAR, I32, {I32, U32}, shift_arithmetic},
   {"s_ashr_i64", SCALAR, I64, {I64, U32}, shift_arithmetic},
   {"s_lshl1_add_u32", SCALAR, U32, {U32, U32}, shift_add},
   {"s_lshl2_add_u32", SCALAR, U32, {U32, U32}, shift_add},
   {"s_lshl3_add_u32", SCALAR, U32, {U32, U32}, shift_add},
   {"s_lshl4_add_u32", SCALAR, U32, {U32, U32}, shift_add},
   {"s_min_i32", SCALAR, I32, {I32, I32}, minimum},
   {"s_min_u32", SCALAR, U32, {U32, U32}, minimum},
   {"s_max_i32", SCALAR, I32, {I32, I32}, maximum},
   {"s_max_u32", SCALAR, U32, {U32, U32}, maximum},
   BOTH("and", logical),
   BOTH("or", logical),
   BOTH("xor", logical),
   BOTH("nand", logical),
   BOTH("nor", logical),
   BOTH("xnor", logical),
   BOTH("and_not1", logical_not1),
   BOTH("or_not1", logical_not1),
   {"s_bfe_u32", SCALAR, U32, {U32, U32}, extract},
   {"s_bfe_i32", SCALAR, I32, {I32, U32}, extract},
   {"s_bfe_u64", SCALAR, U64, {U64, U32}, extract},
   {"s_bfe_i64", SCALAR, I64, {I64, U32}, extract},
   {"s_bfm_b32", SCALAR, B32, {U32, U32}, mask},
   {"s_bfm_b64", SCALAR, B64, {U32, U32}, mask},
   {"s_mul_i32", SCALAR, I32, {I32, I32}, multiply},
   {"s_mul_hi_u32", SCALAR, U32, {U32, U32}, multiply_high},
   {"s_mul_hi_i32", SCALAR, I32, {I32, I32}, multiply_high},
   {"s_cselect_b32", SCALAR, B32, {B32, B32}, select},
   {"s_cselect_b64", SCALAR, B64, {B64, B64}, select},
   {"s_pack_ll_b32_b16", SCALAR, B32, {B32, B32}, pack},
   {"s_pack_lh_b32_b16", SCALAR, B32, {B32, B32}, pack},
   {"s_pack_hh_b32_b16", SCALAR, B32, {B32, B32}, pack},
   {"s_pack_hl_b32_b16", SCALAR, B32, {B32, B32}, pack},

   COMPARE("eq"),
   COMPARE("lg"),
   COMPARE("gt"),
   COMPARE("ge"),
   COMPARE("lt"),
   COMPARE("le"),
   {"s_cmp_eq_u64", SCALAR, NONE, {U64, U64}, compare},
   {"s_cmp_lg_u64", SCALAR, NONE, {U64, U64}, compare},
   {"s_bitcmp0_b32", SCALAR, NONE, {B32, U32}, test_bit},
   {"s_bitcmp1_b32", SCALAR, NONE, {B32, U32}, test_bit},
   {"s_bitcmp0_b64", SCALAR, NONE, {B64, U32}, test_bit},
   {"s_bitcmp1_b64", SCALAR, NONE, {B64, U32}, test_bit},
   {"s_movk_i32", SCALAR | IMMEDIATE, I32, {I16}, scalar_move},
   {"s_cmovk_i32", SCALAR | IMMEDIATE, I32, {I16}, scalar_move_if},
   {"s_addk_i32", SCALAR | IMMEDIATE, I32, {I16}, add_immediate},
   {"s_mulk_i32", SCALAR | IMMEDIATE, I32, {I16}, multiply_immediate},
};

const struct family scalar_pairs_family = {
   .name = "scalar pairs", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = salu_execute};
