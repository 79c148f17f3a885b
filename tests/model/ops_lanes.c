/* SPDX-License-Identifier: MIT */
/* Between lanes, and registers chosen by M0. Destinations and sources are bits; EXEC counts only where it says so. */
#include <stdio.h>

#include "families.h"
#include "generate.h"

static uint32_t
source(const struct call *call, unsigned s, unsigned lane)
{
   return (uint32_t)operand_value(&call->instance->src[s], B32, call->machine, lane);
}

static void
write_vector(struct call *call, int32_t number, unsigned lane, uint32_t value)
{
   if ((uint32_t)number < MODEL_VGPRS) /* 7.2.7: else the result is not written */
      call->after->vgpr[number][lane] = value;
}

static uint32_t
read_vector(const struct call *call, uint32_t number, unsigned lane)
{
   return call->machine->vgpr[number < MODEL_VGPRS ? number : 0][lane];
}

static void
write_scalar(struct call *call, uint32_t value)
{
   const struct operand *to = &call->instance->dst;
   if (to->kind == SGPR)
      call->after->sgpr[to->value] = value;
   else if (to->kind == VCC && to->value)
      call->after->vcc = (call->after->vcc & UINT32_MAX) | (uint64_t)value << 32;
   else if (to->kind == VCC)
      call->after->vcc = (call->after->vcc & ~(uint64_t)UINT32_MAX) | value;
   else if (to->kind == M0)
      call->after->m0 = value;
}

static void
read_first_lane(struct call *call)
{
   unsigned lane = call->machine->exec ? (unsigned)__builtin_ctzll(call->machine->exec) : 0;
   write_scalar(call, source(call, 0, lane));
}

static void
read_lane(struct call *call)
{
   write_scalar(call, source(call, 0, source(call, 1, 0) & (lane_count(call->machine) - 1)));
}

static void
write_lane(struct call *call)
{
   unsigned lane = source(call, 1, 0) & (lane_count(call->machine) - 1);
   write_vector(call, call->instance->dst.value, lane, source(call, 0, 0));
}

/* OP_SEL[0] is "fetch invalid", OP_SEL[1] is "bounds control", like DPP8's and DPP16's (7.2, table of fields). */
static void
permute_row(struct call *call, unsigned other_row)
{
   uint64_t select = source(call, 1, 0) | (uint64_t)source(call, 2, 0) << 32;
   bool fetch_inactive = call->instance->op_sel & 1, bound_ctrl = call->instance->op_sel & 2;
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      unsigned from = ((lane & ~15u) ^ other_row) | (unsigned)(select >> 4 * (lane & 15) & 15);
      bool valid = fetch_inactive || lane_is_on(call->machine, from);
      if (lane_is_on(call->machine, lane) && (valid || bound_ctrl))
         write_vector(call, call->instance->dst.value, lane, valid ? source(call, 0, from) : 0);
   }
}

static void
permute16(struct call *call)
{
   permute_row(call, 0);
}

static void
permute_x16(struct call *call)
{
   permute_row(call, 16);
}

/* "Supported in wave64 ONLY; treated as scalar NOP in wave32" */
static void
permute64(struct call *call)
{
   for (unsigned lane = 0; call->machine->wave64 && lane < 64; lane++) {
      if (lane_is_on(call->machine, lane))
         write_vector(call, call->instance->dst.value, lane, source(call, 0, lane ^ 32));
   }
}

/* ---- swaps and indices ------------------------------------------------------------------------------------------ */

/* Moves both ways where `swap`. */
static void
move_registers(struct call *call, uint32_t to, uint32_t from, bool swap)
{
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      write_vector(call, (int32_t)to, lane, read_vector(call, from, lane));
      if (swap)
         write_vector(call, (int32_t)from, lane, read_vector(call, to, lane));
   }
}

static void
move_relative(struct call *call)
{
   const char *name = call->op->name;
   const struct instance *instance = call->instance;
   uint32_t m0 = call->machine->m0, to = (uint32_t)instance->dst.value, from = (uint32_t)instance->src[0].value;
   bool swap = name[2] == 's', two = swap || name[sizeof "v_movrelsd_" - 1] == '2';
   const char *suffix = name + sizeof "v_movrel" - 1; /* d, s, sd */
   if (two) {
      to += m0 >> 16 & 0x3ff;
      from += m0 & 0x3ff;
   } else {
      to += suffix[0] == 'd' || suffix[1] == 'd' ? m0 : 0;
      from += suffix[0] == 's' ? m0 : 0;
   }
   move_registers(call, to, from, swap);
}

static void
swap_registers(struct call *call)
{
   move_registers(call, (uint32_t)call->instance->dst.value, (uint32_t)call->instance->src[0].value, true);
}

/* v0.l and v0.h are registers, too; a swap of the two halves of one is allowed. */
static void
swap_halves(struct call *call)
{
   const struct operand *a = &call->instance->dst, *b = &call->instance->src[0];
   unsigned shift_a = a->high ? 16 : 0, shift_b = b->high ? 16 : 0;
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      uint32_t old_a = call->machine->vgpr[a->value][lane] >> shift_a & 0xffff;
      uint32_t old_b = call->machine->vgpr[b->value][lane] >> shift_b & 0xffff;
      uint32_t *to_a = &call->after->vgpr[a->value][lane], *to_b = &call->after->vgpr[b->value][lane];
      *to_a = (*to_a & ~(0xffffu << shift_a)) | old_b << shift_a;
      *to_b = (*to_b & ~(0xffffu << shift_b)) | old_a << shift_b;
   }
}

static void
nothing(struct call *call)
{
   (void)call;
}

static void
scalar_move_relative(struct call *call)
{
   const char *name = call->op->name + sizeof "s_movrel" - 1;
   const struct instance *instance = call->instance;
   uint32_t m0 = call->machine->m0, to = (uint32_t)instance->dst.value, from = (uint32_t)instance->src[0].value;
   bool two = name[0] == 's' && name[1] == 'd', pair = type_bits(call->op->dst) == 64;
   if (two) {
      to += m0 >> 16 & 0x3ff;
      from += m0 & 0x3ff;
   } else if (name[0] == 's') {
      from += m0;
   } else {
      to += m0;
   }
   for (unsigned i = 0; i < (pair ? 2 : 1); i++)
      call->after->sgpr[to + i] = call->machine->sgpr[from + i];
}

static const struct op ops[] = {
   {"v_readfirstlane_b32", VOP1 | NO_E64 | NO_DPP, B32, {B32}, read_first_lane},
   {"v_readlane_b32", VOP3 | NO_DPP, B32, {B32, B32}, read_lane},
   {"v_writelane_b32", VOP3 | NO_DPP, B32, {B32, B32}, write_lane},
   {"v_permlane16_b32", VOP3 | NO_DPP, B32, {B32, B32, B32}, permute16},
   {"v_permlanex16_b32", VOP3 | NO_DPP, B32, {B32, B32, B32}, permute_x16},
   {"v_permlane64_b32", VOP1 | NO_E64 | NO_DPP, B32, {B32}, permute64},
   {"v_swap_b32", VOP1 | NO_E64 | NO_DPP, B32, {B32}, swap_registers},
   {"v_swap_b16", VOP1 | NO_E64 | NO_DPP, B16, {B16}, swap_halves},
   {"v_nop", VOP1 | NO_E64 | NO_DPP, NONE, {NONE}, nothing},
   {"v_pipeflush", VOP1 | NO_E64 | NO_DPP, NONE, {NONE}, nothing},
   {"v_swaprel_b32", VOP1 | NO_E64 | NO_DPP, B32, {B32}, move_relative},
   {"v_movreld_b32", VOP1 | NO_DPP, B32, {B32}, move_relative},
   {"v_movrels_b32", VOP1 | NO_DPP, B32, {B32}, move_relative},
   {"v_movrelsd_b32", VOP1 | NO_DPP, B32, {B32}, move_relative},
   {"v_movrelsd_2_b32", VOP1 | NO_DPP, B32, {B32}, move_relative},
   {"s_movrels_b32", SCALAR, B32, {B32}, scalar_move_relative},
   {"s_movrels_b64", SCALAR, B64, {B64}, scalar_move_relative},
   {"s_movreld_b32", SCALAR, B32, {B32}, scalar_move_relative},
   {"s_movreld_b64", SCALAR, B64, {B64}, scalar_move_relative},
   {"s_movrelsd_2_b32", SCALAR, B32, {B32}, scalar_move_relative},
};

static bool
is(const struct instance *instance, const char *part)
{
   return __builtin_strstr(instance->op->name, part) != NULL;
}

static struct operand
vgpr(struct random *random)
{
   return (struct operand){VGPR, (int32_t)random_below(random, MODEL_VGPRS), false};
}

static struct operand
sgpr(struct random *random)
{
   return (struct operand){SGPR, (int32_t)random_below(random, MODEL_SGPRS), false};
}

static struct operand
lane_select(struct random *random)
{
   if (random_chance(random, 30))
      return (struct operand){INLINE_INTEGER, (int32_t)random_below(random, 65), false};
   return random_chance(random, 20) ? (struct operand){M0, 0, false} : sgpr(random);
}

static void
choose(struct random *random, struct instance *instance)
{
   instance->abs = instance->neg = instance->op_sel = instance->omod = 0;
   instance->clamp = false;
   if (is(instance, "s_mov")) { /* registers of pairs, far enough from the ends to be moved */
      instance->dst = (struct operand){SGPR, 2 * (int32_t)random_below(random, 20), false};
      instance->src[0] = (struct operand){SGPR, 2 * (int32_t)random_below(random, 20), false};
   } else if (is(instance, "read")) {
      instance->dst =
         random_chance(random, 20) ? (struct operand){VCC, (int32_t)random_below(random, 2), false} : sgpr(random);
      instance->src[0] = vgpr(random);
      instance->src[1] = lane_select(random);
   } else if (is(instance, "writelane")) {
      instance->src[0] = random_chance(random, 50) ? sgpr(random) : (struct operand){INLINE_INTEGER, 17, false};
      instance->src[1] = lane_select(random);
   } else if (is(instance, "permlane64") || is(instance, "swap_b")) {
      instance->src[0] = vgpr(random);
      instance->dst.value %= MODEL_VGPRS;
   } else if (is(instance, "permlane")) {
      instance->src[0] = vgpr(random);
      instance->src[1] = lane_select(random);
      instance->src[2] = lane_select(random);
      instance->op_sel = (uint8_t)random_below(random, 4);
   } else if (is(instance, "swaprel")) { /* what a swap with a register that does not exist does is open */
      instance->dst.value = (int32_t)random_below(random, 32);
      instance->src[0] = (struct operand){VGPR, (int32_t)random_below(random, 32), false};
   } else {
      instance->src[0] = vgpr(random);
   }
}

static void
prepare(struct random *random, const struct instance *instance, struct machine *machine)
{
   if (!is(instance, "rel"))
      return;
   machine->m0 = random_below(random, is(instance, "s_mov") ? 15 : 40) * 2 % 32;
   if (is(instance, "swaprel") || is(instance, "_2_"))
      machine->m0 |= random_below(random, 16) << 17;
}

const struct family lanes_family = {
   .name = "lanes",
   .ops = ops,
   .count = sizeof ops / sizeof ops[0],
   .execute = whole_execute,
   .choose = choose,
   .prepare = prepare,
};
