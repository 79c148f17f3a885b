/* SPDX-License-Identifier: MIT */
/* A stack of nodes for each lane, in LDS, for walking a tree of boxes (RDNA3 ISA guide, 12.5.3). */
#include "isa/node_stack.h"

#include "isa/memory.h"
#include "isa/pending.h"
#include "isa/traffic.h"

/* ADDR is where the stack stands: base in dwords 31:18, entries on it 17:0. Entries of a lane are 128 bytes apart; the
 * stack is a ring of 8 << OFFSET1[5:4] of them, so that what is pushed too many is lost from its bottom. */
struct node_stack {
   uint32_t base, index, size;
};

#define INVALID_NODE 0xffffffffu

/* NULL: out of bounds. */
static uint32_t *
stack_entry(struct wave *wave, const struct node_stack *stack, enum stats_direction direction)
{
   uint64_t at = ((uint64_t)stack->base + stack->index % stack->size * 32) * 4;
   if (at + 4 > wave->lds_size)
      return NULL;
   traffic_count(wave, STATS_LDS_MEMORY, direction, 4);
   return (uint32_t *)(wave->lds + at);
}

static void
push_node(struct wave *wave, struct node_stack *stack, uint32_t node)
{
   uint32_t *entry = stack_entry(wave, stack, STATS_WRITTEN);
   if (entry)
      *entry = node;
   stack->index = (stack->index + 1) % stack->size;
}

static uint32_t
pop_node(struct wave *wave, struct node_stack *stack)
{
   stack->index = (stack->index + stack->size - 1) % stack->size;
   uint32_t *entry = stack_entry(wave, stack, STATS_READ), node = entry ? *entry : 0;
   if (entry) {
      *entry = INVALID_NODE;
      traffic_count(wave, STATS_LDS_MEMORY, STATS_WRITTEN, 4);
   }
   return node;
}

/* Three of the four nodes of DATA1 are pushed, up to the one last visited (DATA0); the fourth is the result, or what
 * comes from the stack if there is none. */
static uint32_t
next_node(struct wave *wave, struct node_stack *stack, uint32_t last, const uint32_t node[4])
{
   for (unsigned i = 0; i < 3 && (last == INVALID_NODE || node[i] != last); i++) {
      if (node[i] != INVALID_NODE)
         push_node(wave, stack, node[i]);
   }
   bool valid = node[3] != INVALID_NODE && (last == INVALID_NODE || node[3] != last);
   return valid ? node[3] : pop_node(wave, stack);
}

enum isa_result
execute_ds_bvh_stack_rtn_b32(struct wave *wave, const struct inst *inst)
{
   unsigned address = inst->src[0] - SRC_VGPR0, nodes = inst->src[2] - SRC_VGPR0;
   const uint32_t *last = vgpr_source(wave, inst->src[1] - SRC_VGPR0);
   uint64_t active = active_lanes(wave);
   uint32_t result[1][64], standing[1][64];
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      if (!(active >> l & 1))
         continue;
      uint32_t at = vgpr_source(wave, address)[l], node[4];
      struct node_stack stack = {at >> 18, at & 0x3ffff, 8u << ((uint32_t)inst->offset >> 12 & 3)};
      for (unsigned i = 0; i < 4; i++)
         node[i] = vgpr_source(wave, nodes + i)[l];
      result[0][l] = next_node(wave, &stack, last[l], node);
      standing[0][l] = stack.base << 18 | stack.index;
   }
   vgprs_land(wave, COUNT_LGKM, address, 1, active, WHOLE, (const uint32_t(*)[64])standing);
   vgprs_land(wave, COUNT_LGKM, inst->dst, 1, active, WHOLE, (const uint32_t(*)[64])result);
   return ISA_NEXT;
}
