/* SPDX-License-Identifier: MIT */
/* What each packet does. Anything not listed is skipped by its count and named once in the log. */
#include "cp/pm4.h"

#include <inttypes.h>

#include "cp/registers.h"
#include "cp/ring.h"

static uint64_t
address(const uint32_t *body)
{
   return body[0] | (uint64_t)body[1] << 32;
}

static enum pm4_result
nop(struct ring *ring, const uint32_t *body, uint32_t count)
{
   return PM4_DONE;
}

/* ---- registers ---- */

static enum pm4_result
set_registers(struct ring *ring, uint32_t base, const uint32_t *body, uint32_t count)
{
   /* SET_*_REG_INDEX have an index in the upper half. */
   uint32_t first = base + 4 * (body[0] & 0xffff);
   for (uint32_t i = 1; i < count; i++)
      registers_set(ring->gpu, ring->id, first + 4 * (i - 1), body[i]);
   return PM4_DONE;
}

static enum pm4_result
set_config_reg(struct ring *ring, const uint32_t *body, uint32_t count)
{
   return set_registers(ring, REG_CONFIG_BASE, body, count);
}

static enum pm4_result
set_context_reg(struct ring *ring, const uint32_t *body, uint32_t count)
{
   return set_registers(ring, REG_CONTEXT_BASE, body, count);
}

static enum pm4_result
set_sh_reg(struct ring *ring, const uint32_t *body, uint32_t count)
{
   return set_registers(ring, REG_SH_BASE, body, count);
}

static enum pm4_result
set_uconfig_reg(struct ring *ring, const uint32_t *body, uint32_t count)
{
   return set_registers(ring, REG_UCONFIG_BASE, body, count);
}

/* body[0]: number of registers; then for each two: their offsets in two halves, and their values. */
static enum pm4_result
set_pairs_packed(struct ring *ring, uint32_t base, const uint32_t *body, uint32_t count)
{
   for (uint32_t i = 1; i + 2 < count; i += 3) {
      registers_set(ring->gpu, ring->id, base + 4 * (body[i] & 0xffff), body[i + 1]);
      registers_set(ring->gpu, ring->id, base + 4 * (body[i] >> 16), body[i + 2]);
   }
   return PM4_DONE;
}

static enum pm4_result
set_context_pairs(struct ring *ring, const uint32_t *body, uint32_t count)
{
   return set_pairs_packed(ring, REG_CONTEXT_BASE, body, count);
}

static enum pm4_result
set_sh_pairs(struct ring *ring, const uint32_t *body, uint32_t count)
{
   return set_pairs_packed(ring, REG_SH_BASE, body, count);
}

static enum pm4_result
load_sh_reg_index(struct ring *ring, const uint32_t *body, uint32_t count)
{
   uint64_t va = address(body) & ~UINT64_C(3);
   uint32_t first = REG_SH_BASE + 4 * (body[2] & 0xffff);
   for (uint32_t i = 0; i < (body[3] & 0x3fff); i++) {
      uint32_t value;
      if (!ring_read(ring, va + 4 * i, &value, 4, "LOAD_SH_REG_INDEX"))
         return PM4_FAULT;
      registers_set(ring->gpu, ring->id, first + 4 * i, value);
   }
   return PM4_DONE;
}

/* ---- flow ---- */

/* IB_CONTROL: IB_SIZE 19:0, CHAIN 20 */
static enum pm4_result
indirect_buffer(struct ring *ring, const uint32_t *body, uint32_t count)
{
   struct cp_ib ib = {.va = address(body) & ~UINT64_C(3), .size = body[2] & 0xfffff};
   if (body[2] & 1 << 20)
      ring->ib[ring->depth - 1] = ib;
   else if (ring->depth < RING_IB_LEVELS)
      ring->ib[ring->depth++] = ib;
   else
      vgpu_log(ring->gpu, "INDIRECT_BUFFER nested more than %d deep; skipped", RING_IB_LEVELS);
   return PM4_DONE;
}

static enum pm4_result
cond_exec(struct ring *ring, const uint32_t *body, uint32_t count)
{
   uint32_t condition;
   if (!ring_read(ring, address(body), &condition, 4, "COND_EXEC"))
      return PM4_FAULT;
   if (!condition) {
      struct cp_ib *ib = &ring->ib[ring->depth - 1];
      uint32_t skip = body[3] & 0x3fff;
      if (skip > ib->size)
         skip = ib->size;
      ib->va += 4 * (uint64_t)skip;
      ib->size -= skip;
   }
   return PM4_DONE;
}

/* Dword 0: PRED_OP 18:16 (0 clear, 3 a 64-bit, 4 a 32-bit boolean), DRAW_VISIBLE 8: run if the value is not 0. */
static enum pm4_result
set_predication(struct ring *ring, const uint32_t *body, uint32_t count)
{
   uint32_t op = body[0] >> 16 & 7;
   ring->predicated = false;
   if (op == 0)
      return PM4_DONE;
   if (op != 3 && op != 4) {
      vgpu_log(ring->gpu, "SET_PREDICATION by query results is not supported; packets run unpredicated");
      return PM4_DONE;
   }
   uint64_t value = 0;
   if (!ring_read(ring, address(body + 1), &value, op == 3 ? 8 : 4, "SET_PREDICATION"))
      return PM4_FAULT;
   bool visible = body[0] & 1 << 8;
   ring->predicated = true;
   ring->predicate = visible == (value != 0);
   return PM4_DONE;
}

/* ---- dispatches ---- */

static enum pm4_result
set_base(struct ring *ring, const uint32_t *body, uint32_t count)
{
   if ((body[0] & 15) == 1)
      ring->base = address(body + 1);
   return PM4_DONE;
}

static enum pm4_result
dispatch_direct(struct ring *ring, const uint32_t *body, uint32_t count)
{
   return dispatch_start(ring, body, body[3]);
}

/* On the graphics queue an offset from SET_BASE, on compute queues an address. */
static enum pm4_result
dispatch_indirect(struct ring *ring, const uint32_t *body, uint32_t count)
{
   uint64_t va = count >= 3 ? address(body) : ring->base + body[0];
   uint32_t initiator = count >= 3 ? body[2] : body[1];
   uint32_t dim[3];
   if (!ring_read(ring, va, dim, sizeof(dim), "DISPATCH_INDIRECT"))
      return PM4_FAULT;
   return dispatch_start(ring, dim, initiator);
}

/* ---- the table ---- */

struct packet {
   const char *name;
   uint32_t min; /* dwords of body */
   pm4_packet *execute;
   bool draws; /* known but not possible: there is no graphics pipeline */
};

static const struct packet packets[256] = {
   [PM4_NOP] = {"NOP", 0, nop},
   [PM4_SET_BASE] = {"SET_BASE", 3, set_base},
   [PM4_CLEAR_STATE] = {"CLEAR_STATE", 0, nop},
   [PM4_DISPATCH_DIRECT] = {"DISPATCH_DIRECT", 4, dispatch_direct},
   [PM4_DISPATCH_INDIRECT] = {"DISPATCH_INDIRECT", 2, dispatch_indirect},
   [PM4_ATOMIC_MEM] = {"ATOMIC_MEM", 8, pm4_atomic_mem},
   [PM4_SET_PREDICATION] = {"SET_PREDICATION", 3, set_predication},
   [PM4_COND_EXEC] = {"COND_EXEC", 4, cond_exec},
   [PM4_DRAW_INDIRECT] = {"DRAW_INDIRECT", 0, NULL, true},
   [PM4_DRAW_INDEX_INDIRECT] = {"DRAW_INDEX_INDIRECT", 0, NULL, true},
   [PM4_INDEX_BASE] = {"INDEX_BASE", 0, nop},
   [PM4_DRAW_INDEX_2] = {"DRAW_INDEX_2", 0, NULL, true},
   [PM4_CONTEXT_CONTROL] = {"CONTEXT_CONTROL", 0, nop},
   [PM4_INDEX_TYPE] = {"INDEX_TYPE", 0, nop},
   [PM4_DRAW_INDIRECT_MULTI] = {"DRAW_INDIRECT_MULTI", 0, NULL, true},
   [PM4_DRAW_INDEX_AUTO] = {"DRAW_INDEX_AUTO", 0, NULL, true},
   [PM4_NUM_INSTANCES] = {"NUM_INSTANCES", 0, nop},
   [PM4_DRAW_INDEX_OFFSET_2] = {"DRAW_INDEX_OFFSET_2", 0, NULL, true},
   [PM4_WRITE_DATA] = {"WRITE_DATA", 3, pm4_write_data},
   [PM4_DRAW_INDEX_INDIRECT_MULTI] = {"DRAW_INDEX_INDIRECT_MULTI", 0, NULL, true},
   [PM4_WAIT_REG_MEM] = {"WAIT_REG_MEM", 6, pm4_wait_reg_mem},
   [PM4_INDIRECT_BUFFER] = {"INDIRECT_BUFFER", 3, indirect_buffer},
   [PM4_COPY_DATA] = {"COPY_DATA", 5, pm4_copy_data},
   [PM4_PFP_SYNC_ME] = {"PFP_SYNC_ME", 0, nop},
   [PM4_EVENT_WRITE] = {"EVENT_WRITE", 1, pm4_event_write},
   [PM4_RELEASE_MEM] = {"RELEASE_MEM", 6, pm4_release_mem},
   [PM4_DISPATCH_MESH_INDIRECT_MULTI] = {"DISPATCH_MESH_INDIRECT_MULTI", 0, NULL, true},
   [PM4_DISPATCH_TASKMESH_GFX] = {"DISPATCH_TASKMESH_GFX", 0, NULL, true},
   [PM4_DISPATCH_MESH_DIRECT] = {"DISPATCH_MESH_DIRECT", 0, NULL, true},
   [PM4_DMA_DATA] = {"DMA_DATA", 6, pm4_dma_data},
   [PM4_ACQUIRE_MEM] = {"ACQUIRE_MEM", 6, pm4_acquire_mem},
   [PM4_REWIND] = {"REWIND", 0, nop},
   [PM4_LOAD_SH_REG_INDEX] = {"LOAD_SH_REG_INDEX", 4, load_sh_reg_index},
   [PM4_SET_CONFIG_REG] = {"SET_CONFIG_REG", 1, set_config_reg},
   [PM4_SET_CONTEXT_REG] = {"SET_CONTEXT_REG", 1, set_context_reg},
   [PM4_SET_SH_REG] = {"SET_SH_REG", 1, set_sh_reg},
   [PM4_SET_UCONFIG_REG] = {"SET_UCONFIG_REG", 1, set_uconfig_reg},
   [PM4_SET_UCONFIG_REG_INDEX] = {"SET_UCONFIG_REG_INDEX", 1, set_uconfig_reg},
   [PM4_SET_SH_REG_INDEX] = {"SET_SH_REG_INDEX", 1, set_sh_reg},
   [PM4_EVENT_WRITE_ZPASS] = {"EVENT_WRITE_ZPASS", 2, pm4_event_write_zpass},
   [PM4_SET_CONTEXT_REG_PAIRS_PACKED] = {"SET_CONTEXT_REG_PAIRS_PACKED", 1, set_context_pairs},
   [PM4_SET_SH_REG_PAIRS_PACKED] = {"SET_SH_REG_PAIRS_PACKED", 1, set_sh_pairs},
   [PM4_SET_SH_REG_PAIRS_PACKED_N] = {"SET_SH_REG_PAIRS_PACKED_N", 1, set_sh_pairs},
};

static uint32_t
opcode(uint32_t header)
{
   return header >> 8 & 0xff;
}

uint32_t
pm4_body_size(uint32_t header)
{
   uint32_t count = header >> 16 & 0x3fff;
   switch (header >> 30) {
   case 0:
      return count + 1;
   case 3:
      return opcode(header) == PM4_NOP && count == 0x3fff ? 0 : count + 1;
   default:
      return 0; /* type 2 is padding, type 1 does not exist */
   }
}

const char *
pm4_name(uint32_t header)
{
   const char *name = header >> 30 == 3 ? packets[opcode(header)].name : NULL;
   return name ? name : "an unknown packet";
}

static bool
first_report(struct cp *cp, uint32_t op)
{
   uint8_t bit = 1 << op % 8;
   bool first = !(cp->reported_packets[op / 8] & bit);
   cp->reported_packets[op / 8] |= bit;
   return first;
}

enum pm4_result
pm4_execute(struct ring *ring, uint32_t header, const uint32_t *body, uint32_t count)
{
   if (header >> 30 == 2)
      return PM4_DONE;
   uint32_t op = header >> 30 == 3 ? opcode(header) : 0;
   const struct packet *packet = &packets[op];
   if (header & 1 && ring->predicated && !ring->predicate && op != PM4_NOP)
      return PM4_DONE;
   if (packet->execute && count >= packet->min)
      return packet->execute(ring, body, count);
   if (first_report(ring->gpu->cp, op)) {
      if (packet->draws)
         vgpu_log(ring->gpu, "%s: this card has no graphics pipeline; draws are skipped", packet->name);
      else if (packet->execute)
         vgpu_log(ring->gpu, "%s with %u dwords is too short; skipped, at 0x%" PRIx64 " on the %s", packet->name, count,
                  ring->packet, ring_name(ring));
      else
         vgpu_log(ring->gpu,
                  "packet 0x%08x (type %u, opcode 0x%02x) is not supported; skipped, at 0x%" PRIx64 " on the %s",
                  header, header >> 30, op, ring->packet, ring_name(ring));
   }
   return PM4_DONE;
}
