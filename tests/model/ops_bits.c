/* SPDX-License-Identifier: MIT */
/* Shifts, logic, bit fields and counts of vector operations. */
#include "families.h"

static wide
number(const struct call *call, unsigned s)
{
   const struct op *op = call->op;
   return op->flags & PACKED ? (int16_t)call->s[s] : integer(op->src[s], call->s[s]);
}

static unsigned
shift_amount(const struct call *call, unsigned s)
{
   unsigned size = call->op->flags & PACKED ? 16 : type_bits(call->op->dst);
   return (unsigned)call->s[s] & (size - 1);
}

static void
shift_left_reversed(struct call *call)
{
   call->d = call->s[1] << shift_amount(call, 0);
}

static void
shift_right_reversed(struct call *call)
{
   call->d = call->s[1] >> shift_amount(call, 0);
}

static void
shift_arithmetic_reversed(struct call *call)
{
   call->d = (bits)(number(call, 1) >> shift_amount(call, 0));
}

static void
and2(struct call *call)
{
   call->d = call->s[0] & call->s[1];
}

static void
or2(struct call *call)
{
   call->d = call->s[0] | call->s[1];
}

static void
xor2(struct call *call)
{
   call->d = call->s[0] ^ call->s[1];
}

static void
xnor2(struct call *call)
{
   call->d = ~(call->s[0] ^ call->s[1]);
}

static void
invert(struct call *call)
{
   call->d = ~call->s[0];
}

static void
or3(struct call *call)
{
   call->d = call->s[0] | call->s[1] | call->s[2];
}

static void
xor3(struct call *call)
{
   call->d = call->s[0] ^ call->s[1] ^ call->s[2];
}

static void
and_or(struct call *call)
{
   call->d = (call->s[0] & call->s[1]) | call->s[2];
}

static void
xor_add(struct call *call)
{
   call->d = (call->s[0] ^ call->s[1]) + call->s[2];
}

static void
shift_left_add(struct call *call)
{
   call->d = (call->s[0] << shift_amount(call, 1)) + call->s[2];
}

static void
add_shift_left(struct call *call)
{
   call->d = (call->s[0] + call->s[1]) << shift_amount(call, 2);
}

static void
shift_left_or(struct call *call)
{
   call->d = (call->s[0] << shift_amount(call, 1)) | call->s[2];
}

static void
extract(struct call *call)
{
   unsigned offset = shift_amount(call, 1), width = shift_amount(call, 2);
   uint32_t field = (uint32_t)call->s[0];
   if (type_is_signed(call->op->dst))
      field = (uint32_t)((int32_t)field >> offset); /* the sign fills in above */
   else
      field >>= offset;
   field &= (1u << width) - 1;
   if (type_is_signed(call->op->dst) && width && field >> (width - 1))
      field |= ~0u << width;
   call->d = field;
}

static void
insert(struct call *call)
{
   call->d = (call->s[0] & call->s[1]) | (~call->s[0] & call->s[2]);
}

static void
mask(struct call *call)
{
   call->d = (((bits)1 << shift_amount(call, 0)) - 1) << shift_amount(call, 1);
}

static void
align_bits(struct call *call)
{
   call->d = (call->s[0] << 32 | call->s[1]) >> (call->s[2] & 31);
}

static void
align_bytes(struct call *call)
{
   call->d = (call->s[0] << 32 | call->s[1]) >> 8 * (call->s[2] & 3);
}

static void
reverse(struct call *call)
{
   call->d = 0;
   for (unsigned i = 0; i < 32; i++)
      call->d |= (call->s[0] >> i & 1) << (31 - i);
}

static void
leading_zeros(struct call *call)
{
   uint32_t value = (uint32_t)call->s[0];
   call->d = value ? (bits)__builtin_clz(value) : UINT32_MAX;
}

static void
trailing_zeros(struct call *call)
{
   uint32_t value = (uint32_t)call->s[0];
   call->d = value ? (bits)__builtin_ctz(value) : UINT32_MAX;
}

static void
leading_signs(struct call *call)
{
   int32_t value = (int32_t)call->s[0];
   call->d = value == 0 || value == -1 ? UINT32_MAX : (bits)(1 + __builtin_clrsb(value));
}

static void
count_bits(struct call *call)
{
   call->d = (bits)__builtin_popcount((uint32_t)call->s[0]) + call->s[1];
}

static void
count_below_low(struct call *call)
{
   uint32_t below = call->lane < 32 ? (1u << call->lane) - 1 : ~0u;
   call->d = (bits)__builtin_popcount((uint32_t)call->s[0] & below) + call->s[1];
}

static void
count_below_high(struct call *call)
{
   uint32_t below = call->lane < 32 ? 0 : (1u << (call->lane - 32)) - 1;
   call->d = (bits)__builtin_popcount((uint32_t)call->s[0] & below) + call->s[1];
}

/* Selectors below 8 are bytes of {S0, S1}, S1 the low ones; 8 to 11 spread the signs of S1's and S0's halves. */
static void
permute_bytes(struct call *call)
{
   uint64_t data = S0(call) << 32 | S1(call);
   call->d = 0;
   for (unsigned i = 0; i < 4; i++) {
      unsigned select = (unsigned)(S2(call) >> 8 * i) & 0xff;
      uint64_t byte;
      if (select >= 13)
         byte = 0xff;
      else if (select == 12)
         byte = 0;
      else if (select >= 8)
         byte = data >> (16 * (select - 8) + 15) & 1 ? 0xff : 0;
      else
         byte = data >> 8 * select & 0xff;
      call->d |= (bits)byte << 8 * i;
   }
}

#define PACKED3 (VOP3P | PACKED | NO_DPP)

static const struct op ops[] = {
   {"v_lshlrev_b32", VOP2, B32, {U32, B32}, shift_left_reversed},
   {"v_lshrrev_b32", VOP2, B32, {U32, B32}, shift_right_reversed},
   {"v_ashrrev_i32", VOP2, I32, {U32, I32}, shift_arithmetic_reversed},
   {"v_lshlrev_b16", VOP3, B16, {U16, B16}, shift_left_reversed},
   {"v_lshrrev_b16", VOP3, B16, {U16, B16}, shift_right_reversed},
   {"v_ashrrev_i16", VOP3, I16, {U16, I16}, shift_arithmetic_reversed},
   {"v_lshlrev_b64", VOP3 | NO_DPP, B64, {U32, B64}, shift_left_reversed},
   {"v_lshrrev_b64", VOP3 | NO_DPP, B64, {U32, B64}, shift_right_reversed},
   {"v_ashrrev_i64", VOP3 | NO_DPP, I64, {U32, I64}, shift_arithmetic_reversed},
   {"v_and_b32", VOP2, B32, {B32, B32}, and2},
   {"v_or_b32", VOP2, B32, {B32, B32}, or2},
   {"v_xor_b32", VOP2, B32, {B32, B32}, xor2},
   {"v_xnor_b32", VOP2, B32, {B32, B32}, xnor2},
   {"v_and_b16", VOP3, B16, {B16, B16}, and2},
   {"v_or_b16", VOP3, B16, {B16, B16}, or2},
   {"v_xor_b16", VOP3, B16, {B16, B16}, xor2},
   {"v_not_b32", VOP1, B32, {B32}, invert},
   {"v_not_b16", VOP1, B16, {B16}, invert},
   {"v_or3_b32", VOP3, B32, {B32, B32, B32}, or3},
   {"v_xor3_b32", VOP3, B32, {B32, B32, B32}, xor3},
   {"v_and_or_b32", VOP3, B32, {B32, B32, B32}, and_or},
   {"v_xad_u32", VOP3, U32, {U32, U32, U32}, xor_add},
   {"v_lshl_add_u32", VOP3, U32, {U32, U32, U32}, shift_left_add},
   {"v_add_lshl_u32", VOP3, U32, {U32, U32, U32}, add_shift_left},
   {"v_lshl_or_b32", VOP3, B32, {B32, U32, B32}, shift_left_or},
   {"v_bfe_u32", VOP3, U32, {U32, U32, U32}, extract},
   {"v_bfe_i32", VOP3, I32, {I32, U32, U32}, extract},
   {"v_bfi_b32", VOP3, B32, {B32, B32, B32}, insert},
   {"v_bfm_b32", VOP3, B32, {U32, U32}, mask},
   {"v_alignbit_b32", VOP3, B32, {B32, B32, U32}, align_bits},
   {"v_alignbyte_b32", VOP3, B32, {B32, B32, U32}, align_bytes},
   {"v_bfrev_b32", VOP1, B32, {B32}, reverse},
   {"v_clz_i32_u32", VOP1, I32, {U32}, leading_zeros},
   {"v_ctz_i32_b32", VOP1, I32, {B32}, trailing_zeros},
   {"v_cls_i32", VOP1, I32, {I32}, leading_signs},
   {"v_bcnt_u32_b32", VOP3, U32, {B32, U32}, count_bits},
   {"v_mbcnt_lo_u32_b32", VOP3, U32, {B32, U32}, count_below_low},
   {"v_mbcnt_hi_u32_b32", VOP3, U32, {B32, U32}, count_below_high},
   {"v_perm_b32", VOP3, B32, {B32, B32, B32}, permute_bytes},
   {"v_pk_lshlrev_b16", PACKED3, PK16, {PK16, PK16}, shift_left_reversed},
   {"v_pk_lshrrev_b16", PACKED3, PK16, {PK16, PK16}, shift_right_reversed},
   {"v_pk_ashrrev_i16", PACKED3, PK16, {PK16, PK16}, shift_arithmetic_reversed},
};

const struct family bits_family = {
   .name = "bits", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = valu_execute};
