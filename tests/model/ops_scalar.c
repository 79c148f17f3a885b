/* SPDX-License-Identifier: MIT */
/* SOP1. Where a result sets SCC, `answer` does; other functions leave it alone. */
#include <string.h>

#include "families.h"

static uint64_t
cut(const struct call *call, bits value)
{
   return type_bits(call->op->dst) == 64 ? (uint64_t)value : (uint32_t)value;
}

/* ---- one source ------------------------------------------------------------------------------------------------- */

static void
reverse(struct call *call)
{
   unsigned size = type_bits(call->op->dst);
   call->d = 0;
   for (unsigned i = 0; i < size; i++)
      call->d |= (call->s[0] >> i & 1) << (size - 1 - i);
}

static void
trailing_zeros(struct call *call)
{
   call->d = S0(call) ? (bits)__builtin_ctzll(S0(call)) : UINT32_MAX;
}

static void
leading_zeros(struct call *call)
{
   unsigned unused = 64 - type_bits(call->op->src[0]);
   call->d = S0(call) ? (bits)__builtin_clzll(S0(call)) - unused : UINT32_MAX;
}

static void
leading_signs(struct call *call)
{
   int64_t value = (int64_t)source_number(call, 0);
   unsigned unused = 64 - type_bits(call->op->src[0]);
   call->d = value == 0 || value == -1 ? UINT32_MAX : (bits)(1 + __builtin_clrsbll(value)) - unused;
}

static void
extend_8(struct call *call)
{
   call->d = (bits)(int8_t)call->s[0];
}

static void
extend_16(struct call *call)
{
   call->d = (bits)(int16_t)call->s[0];
}

static void
clear_bit(struct call *call)
{
   call->d = call->old & ~((bits)1 << (call->s[0] & (type_bits(call->op->dst) - 1)));
}

static void
set_bit(struct call *call)
{
   call->d = call->old | (bits)1 << (call->s[0] & (type_bits(call->op->dst) - 1));
}

static void
replicate(struct call *call)
{
   call->d = 0;
   for (unsigned i = 0; i < 32; i++)
      call->d |= (call->s[0] >> i & 1) * 3 << 2 * i;
}

static void
absolute(struct call *call)
{
   scalar_answer(call, (bits)(source_number(call, 0) < 0 ? -source_number(call, 0) : source_number(call, 0)));
}

static void
count_zeros(struct call *call)
{
   scalar_answer(call, type_bits(call->op->src[0]) - (bits)__builtin_popcountll(S0(call)));
}

static void
count_ones(struct call *call)
{
   scalar_answer(call, (bits)__builtin_popcountll(S0(call)));
}

static void
quad_mask(struct call *call)
{
   bits mask = 0;
   for (unsigned i = 0; i < type_bits(call->op->dst) / 4; i++)
      mask |= (bits)((S0(call) >> 4 * i & 15) != 0) << i;
   scalar_answer(call, mask);
}

static void
whole_quads(struct call *call)
{
   bits mask = 0;
   for (unsigned i = 0; i < type_bits(call->op->dst) / 4; i++)
      mask |= (S0(call) >> 4 * i & 15 ? (bits)15 : 0) << 4 * i;
   scalar_answer(call, mask);
}

static void
invert(struct call *call)
{
   scalar_answer(call, ~call->s[0]);
}

/* ---- EXEC ------------------------------------------------------------------------------------------------------- */

uint64_t
scalar_logic(const char *name, uint64_t a, uint64_t exec)
{
   static const char *const names[] = {"and_not0", "and_not1", "or_not0", "or_not1", "and",
                                       "or",       "xor",      "nand",    "nor",     "xnor"};
   for (unsigned i = 0; i < 10; i++) {
      if (strncmp(name + 2, names[i], strlen(names[i])) != 0)
         continue;
      const uint64_t results[] = {~a & exec, a & ~exec, ~a | exec,   a | ~exec,   a & exec,
                                  a | exec,  a ^ exec,  ~(a & exec), ~(a | exec), ~(a ^ exec)};
      return results[i];
   }
   return 0;
}

static void
save_exec(struct call *call)
{
   uint64_t exec = cut(call, call->exec);
   call->exec = cut(call, scalar_logic(call->op->name, S0(call), exec));
   call->d = exec;
   call->carry = call->exec != 0;
}

static void
write_exec(struct call *call)
{
   save_exec(call);
   call->d = call->exec;
}

#define SAVE(name, function)                                       \
   {"s_" name "_b32", SCALAR | WRITES_EXEC, B32, {B32}, function}, \
   {                                                               \
      "s_" name "_b64", SCALAR | WRITES_EXEC, B64, {B64}, function \
   }

static const struct op ops[] = {
   {"s_mov_b32", SCALAR, B32, {B32}, scalar_move},
   {"s_mov_b64", SCALAR, B64, {B64}, scalar_move},
   {"s_cmov_b32", SCALAR, B32, {B32}, scalar_move_if},
   {"s_cmov_b64", SCALAR, B64, {B64}, scalar_move_if},
   {"s_brev_b32", SCALAR, B32, {B32}, reverse},
   {"s_brev_b64", SCALAR, B64, {B64}, reverse},
   {"s_ctz_i32_b32", SCALAR, I32, {B32}, trailing_zeros},
   {"s_ctz_i32_b64", SCALAR, I32, {B64}, trailing_zeros},
   {"s_clz_i32_u32", SCALAR, I32, {U32}, leading_zeros},
   {"s_clz_i32_u64", SCALAR, I32, {U64}, leading_zeros},
   {"s_cls_i32", SCALAR, I32, {I32}, leading_signs},
   {"s_cls_i32_i64", SCALAR, I32, {I64}, leading_signs},
   {"s_sext_i32_i8", SCALAR, I32, {B32}, extend_8},
   {"s_sext_i32_i16", SCALAR, I32, {B32}, extend_16},
   {"s_bitset0_b32", SCALAR, B32, {B32}, clear_bit},
   {"s_bitset0_b64", SCALAR, B64, {B32}, clear_bit},
   {"s_bitset1_b32", SCALAR, B32, {B32}, set_bit},
   {"s_bitset1_b64", SCALAR, B64, {B32}, set_bit},
   {"s_bitreplicate_b64_b32", SCALAR, B64, {B32}, replicate},
   {"s_abs_i32", SCALAR, I32, {I32}, absolute},
   {"s_bcnt0_i32_b32", SCALAR, I32, {B32}, count_zeros},
   {"s_bcnt0_i32_b64", SCALAR, I32, {B64}, count_zeros},
   {"s_bcnt1_i32_b32", SCALAR, I32, {B32}, count_ones},
   {"s_bcnt1_i32_b64", SCALAR, I32, {B64}, count_ones},
   {"s_quadmask_b32", SCALAR, B32, {B32}, quad_mask},
   {"s_quadmask_b64", SCALAR, B64, {B64}, quad_mask},
   {"s_wqm_b32", SCALAR, B32, {B32}, whole_quads},
   {"s_wqm_b64", SCALAR, B64, {B64}, whole_quads},
   {"s_not_b32", SCALAR, B32, {B32}, invert},
   {"s_not_b64", SCALAR, B64, {B64}, invert},
   SAVE("and_saveexec", save_exec),
   SAVE("or_saveexec", save_exec),
   SAVE("xor_saveexec", save_exec),
   SAVE("nand_saveexec", save_exec),
   SAVE("nor_saveexec", save_exec),
   SAVE("xnor_saveexec", save_exec),
   SAVE("and_not0_saveexec", save_exec),
   SAVE("or_not0_saveexec", save_exec),
   SAVE("and_not1_saveexec", save_exec),
   SAVE("or_not1_saveexec", save_exec),
   SAVE("and_not0_wrexec", write_exec),
   SAVE("and_not1_wrexec", write_exec),
};

const struct family scalar_family = {
   .name = "scalar", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = salu_execute};
