/* SPDX-License-Identifier: MIT */
/* Integers with a carry in masks: {carry, result} is the exact sum. */
#include "families.h"

static void
answer(struct call *call, wide exact, enum type type)
{
   call->carry = exact < least_of(type) || exact > greatest_of(type);
   call->d = call->clamp ? saturate(type, exact) : (bits)exact;
}

static wide
value(const struct call *call, unsigned s)
{
   return integer(call->op->src[s], call->s[s]);
}

static wide
carry(const struct call *call)
{
   return call->op->flags & CARRY_IN ? call->carry : 0;
}

static void
add(struct call *call)
{
   answer(call, value(call, 0) + value(call, 1) + carry(call), U32);
}

static void
subtract(struct call *call)
{
   answer(call, value(call, 0) - value(call, 1) - carry(call), U32);
}

static void
subtract_reversed(struct call *call)
{
   answer(call, value(call, 1) - value(call, 0) - carry(call), U32);
}

/* "{ D1.u1, D0.u64 } = 65'B(65'U(S0.u32) * 65'U(S1.u32) + 65'U(S2.u64))", and the signed one: bit 64 of the sum. */
static void
multiply_add(struct call *call)
{
   wide exact = value(call, 0) * value(call, 1) + value(call, 2);
   call->carry = (bits)exact >> 64 & 1;
   call->d = call->clamp ? saturate(call->op->dst, exact) : (bits)exact;
}

#define CHAIN (VOP2 | CARRY_IN | CARRY_OUT | CLAMPS)
#define LINK (VOP3 | CARRY_OUT | CLAMPS)

static const struct op ops[] = {
   {"v_add_co_ci_u32", CHAIN, U32, {U32, U32}, add},
   {"v_sub_co_ci_u32", CHAIN, U32, {U32, U32}, subtract},
   {"v_subrev_co_ci_u32", CHAIN, U32, {U32, U32}, subtract_reversed},
   {"v_add_co_u32", LINK, U32, {U32, U32}, add},
   {"v_sub_co_u32", LINK, U32, {U32, U32}, subtract},
   {"v_subrev_co_u32", LINK, U32, {U32, U32}, subtract_reversed},
   {"v_mad_u64_u32", LINK | NO_DPP, U64, {U32, U32, U64}, multiply_add},
   {"v_mad_i64_i32", LINK | NO_DPP, I64, {I32, I32, I64}, multiply_add},
};

const struct family carry_family = {
   .name = "carry", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = valu_execute};
