/* SPDX-License-Identifier: MIT */
/*
 * LDS (RDNA3 ISA guide, chapter 11): ADDR is VGPR src[0], DATA0 src[1], DATA1 src[2], as selectors. offset holds both
 * bytes of the offset. There is no GDS on gfx11 that a program could use.
 */
#include <string.h>

#include "isa/memory.h"
#include "isa/node_stack.h"
#include "isa/pending.h"
#include "isa/traffic.h"

/* The sum wraps at 32 bits: compilers give a negative ADDR and a larger offset for an index counted down. LLVM relies
 * on it from Sea Islands on (AMDGPUISelDAGToDAG.cpp, isDSOffsetLegal). */
static void
lds_access(struct wave *wave, const struct inst *inst, struct lane_access *access, uint32_t offset)
{
   const uint32_t *address = vgpr_source(wave, inst->src[0] - SRC_VGPR0);
   access->lanes = active_lanes(wave);
   access->stride = 4;
   access->lds = true;
   access->bounded = false;
   for (unsigned l = 0; l < wave_lanes(wave); l++)
      access->va[l] = address[l] + offset;
}

static enum isa_result
load(struct wave *wave, const struct inst *inst, unsigned bytes, bool is_signed, unsigned half)
{
   struct lane_access access;
   uint32_t data[4][64];
   lds_access(wave, inst, &access, (uint16_t)inst->offset);
   if (!lanes_load(wave, inst, &access, bytes, is_signed, data))
      return ISA_TRAP;
   vgprs_land(wave, COUNT_LGKM, inst->dst, (bytes + 3) / 4, access.lanes, half, (const uint32_t(*)[64])data);
   return ISA_NEXT;
}

static enum isa_result
store(struct wave *wave, const struct inst *inst, unsigned bytes, unsigned shift)
{
   struct lane_access access;
   lds_access(wave, inst, &access, (uint16_t)inst->offset);
   if (!lanes_store(wave, inst, &access, bytes, shift, inst->src[1] - SRC_VGPR0))
      return ISA_TRAP;
   store_count(wave, true);
   return ISA_NEXT;
}

/* Two addresses: each byte of the offset counts in `unit`. */
static uint32_t
offset_of(const struct inst *inst, unsigned which, unsigned unit)
{
   return ((uint32_t)inst->offset >> which * 8 & 0xff) * unit;
}

static enum isa_result
load2(struct wave *wave, const struct inst *inst, unsigned bytes, unsigned unit)
{
   struct lane_access access;
   uint32_t data[4][64];
   for (unsigned i = 0; i < 2; i++) {
      lds_access(wave, inst, &access, offset_of(inst, i, unit));
      if (!lanes_load(wave, inst, &access, bytes, false, &data[i * bytes / 4]))
         return ISA_TRAP;
   }
   vgprs_land(wave, COUNT_LGKM, inst->dst, bytes / 2, access.lanes, WHOLE, (const uint32_t(*)[64])data);
   return ISA_NEXT;
}

static enum isa_result
store2(struct wave *wave, const struct inst *inst, unsigned bytes, unsigned unit)
{
   struct lane_access access;
   for (unsigned i = 0; i < 2; i++) {
      lds_access(wave, inst, &access, offset_of(inst, i, unit));
      if (!lanes_store(wave, inst, &access, bytes, 0, inst->src[1 + i] - SRC_VGPR0))
         return ISA_TRAP;
   }
   store_count(wave, true);
   return ISA_NEXT;
}

static enum isa_result
exchange2(struct wave *wave, const struct inst *inst, bool wide, unsigned unit)
{
   struct lane_access access;
   uint32_t data[4][64];
   unsigned dwords = wide ? 2 : 1;
   for (unsigned i = 0; i < 2; i++) {
      uint32_t old[2][64];
      unsigned source = inst->src[1 + i] - SRC_VGPR0;
      lds_access(wave, inst, &access, offset_of(inst, i, unit));
      if (!lanes_atomic(wave, inst, &access, ATOMIC_SWAP, wide, source, source, old))
         return ISA_TRAP;
      memcpy(data[i * dwords], old, dwords * sizeof old[0]);
   }
   vgprs_land(wave, COUNT_LGKM, inst->dst, dwords * 2, access.lanes, WHOLE, (const uint32_t(*)[64])data);
   return ISA_NEXT;
}

static enum isa_result
atomic(struct wave *wave, const struct inst *inst, enum atomic_operation operation, bool wide, bool returns)
{
   struct lane_access access;
   uint32_t data[2][64];
   lds_access(wave, inst, &access, (uint16_t)inst->offset);
   if (!lanes_atomic(wave, inst, &access, operation, wide, inst->src[1] - SRC_VGPR0, inst->src[2] - SRC_VGPR0, data))
      return ISA_TRAP;
   if (returns)
      vgprs_land(wave, COUNT_LGKM, inst->dst, wide ? 2 : 1, access.lanes, WHOLE, (const uint32_t(*)[64])data);
   else
      store_count(wave, true);
   return ISA_NEXT;
}

/* ---- lanes exchange values without memory ---- */

static enum isa_result
exchanged(struct wave *wave, const struct inst *inst, const uint32_t (*data)[64])
{
   vgprs_land(wave, COUNT_LGKM, inst->dst, 1, active_lanes(wave), WHOLE, data);
   return ISA_NEXT;
}

/* Lane numbers are byte addresses, and count within the half of a wave of 64 that the lane is in (RDNA3 ISA guide,
 * 16.14, DS_PERMUTE_B32). */
static unsigned
addressed_lane(const struct inst *inst, uint32_t address, unsigned lane)
{
   return (lane & 32) | ((address + (uint16_t)inst->offset) / 4 & 31);
}

/* Lanes pull; lanes that are off give 0. */
static enum isa_result
execute_ds_bpermute_b32(struct wave *wave, const struct inst *inst)
{
   const uint32_t *address = vgpr_source(wave, inst->src[0] - SRC_VGPR0);
   const uint32_t *source = vgpr_source(wave, inst->src[1] - SRC_VGPR0);
   uint64_t active = active_lanes(wave);
   uint32_t data[1][64];
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      unsigned from = addressed_lane(inst, address[l], l);
      data[0][l] = active >> from & 1 ? source[from] : 0;
   }
   return exchanged(wave, inst, (const uint32_t(*)[64])data);
}

/* Lanes push; of several to one lane the highest wins, and who is pushed nothing gets 0. */
static enum isa_result
execute_ds_permute_b32(struct wave *wave, const struct inst *inst)
{
   const uint32_t *address = vgpr_source(wave, inst->src[0] - SRC_VGPR0);
   const uint32_t *source = vgpr_source(wave, inst->src[1] - SRC_VGPR0);
   uint64_t active = active_lanes(wave);
   uint32_t data[1][64] = {{0}};
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      if (active >> l & 1)
         data[0][addressed_lane(inst, address[l], l)] = source[l];
   }
   return exchanged(wave, inst, (const uint32_t(*)[64])data);
}

/* The pattern's modes by its top bits (RDNA3 ISA guide, 16.14, DS_SWIZZLE_B32): FFT, rotate, quad permute, bit masks.
 */
static unsigned
swizzle_lane(unsigned pattern, unsigned lane)
{
   unsigned group = lane & ~31u, l = lane & 31, mask = pattern & 0x1f;
   if (pattern >= 0xe000) {
      unsigned reversed = 0;
      for (unsigned i = 0; i < 5; i++)
         reversed |= (l >> i & 1) << (4 - i);
      return group | reversed >> __builtin_popcount(mask) | (l & mask);
   }
   if (pattern >= 0xc000) {
      unsigned amount = pattern >> 5 & 0x1f;
      unsigned from = pattern & 0x400 ? l - amount : l + amount;
      return group | (l & mask) | (from & ~mask & 0x1f);
   }
   if (pattern & 0x8000)
      return (lane & ~3u) | (pattern >> (lane & 3) * 2 & 3);
   return group | (((l & mask) | (pattern >> 5 & 0x1f)) ^ (pattern >> 10 & 0x1f));
}

static enum isa_result
execute_ds_swizzle_b32(struct wave *wave, const struct inst *inst)
{
   const uint32_t *source = vgpr_source(wave, inst->src[0] - SRC_VGPR0);
   uint64_t active = active_lanes(wave);
   uint32_t data[1][64];
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      unsigned from = swizzle_lane((uint16_t)inst->offset, l);
      data[0][l] = active >> from & 1 ? source[from] : 0;
   }
   return exchanged(wave, inst, (const uint32_t(*)[64])data);
}

/* ---- addresses from M0 ---- */

static void
addtid_access(struct wave *wave, const struct inst *inst, struct lane_access *access)
{
   access->lanes = active_lanes(wave);
   access->stride = 4;
   access->lds = true;
   access->bounded = false;
   for (unsigned l = 0; l < wave_lanes(wave); l++)
      access->va[l] = (uint64_t)(uint16_t)inst->offset + (wave->sreg[SREG_M0] & 0xffff) + l * 4;
}

static enum isa_result
execute_ds_load_addtid_b32(struct wave *wave, const struct inst *inst)
{
   struct lane_access access;
   uint32_t data[1][64];
   addtid_access(wave, inst, &access);
   lanes_load(wave, inst, &access, 4, false, data);
   return exchanged(wave, inst, (const uint32_t(*)[64])data);
}

static enum isa_result
execute_ds_store_addtid_b32(struct wave *wave, const struct inst *inst)
{
   struct lane_access access;
   addtid_access(wave, inst, &access);
   lanes_store(wave, inst, &access, 4, 0, inst->src[1] - SRC_VGPR0);
   store_count(wave, true);
   return ISA_NEXT;
}

/* A counter at M0[15:0] + offset goes up or down by the number of active lanes; all of them get its old value. */
static enum isa_result
count(struct wave *wave, const struct inst *inst, int sign)
{
   uint32_t at = ((wave->sreg[SREG_M0] & 0xffff) + (uint16_t)inst->offset) & ~3u, old = 0;
   uint64_t active = active_lanes(wave);
   if (at + 4 <= wave->lds_size) {
      memcpy(&old, wave->lds + at, 4);
      uint32_t value = old + (uint32_t)(sign * __builtin_popcountll(active));
      memcpy(wave->lds + at, &value, 4);
      traffic_count(wave, STATS_LDS_MEMORY, STATS_ATOMICS, 1);
   }
   uint32_t data[1][64];
   for (unsigned l = 0; l < 64; l++)
      data[0][l] = old;
   return exchanged(wave, inst, (const uint32_t(*)[64])data);
}

static enum isa_result
execute_ds_append(struct wave *wave, const struct inst *inst)
{
   return count(wave, inst, 1);
}

static enum isa_result
execute_ds_consume(struct wave *wave, const struct inst *inst)
{
   return count(wave, inst, -1);
}

/* Two dwords side by side; each is replaced, its top bit off, if the top bit of its data is on (RDNA3 ISA guide, 16.14,
 * DS_CONDXCHG32_RTN_B64). */
static enum isa_result
execute_ds_condxchg32_rtn_b64(struct wave *wave, const struct inst *inst)
{
   const uint32_t *address = vgpr_source(wave, inst->src[0] - SRC_VGPR0);
   uint64_t active = active_lanes(wave);
   uint32_t old[2][64] = {{0}};
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      uint32_t at = (address[l] + (uint16_t)inst->offset) & 0xfff8;
      if (!(active >> l & 1) || at + 8 > wave->lds_size)
         continue;
      traffic_count(wave, STATS_LDS_MEMORY, STATS_ATOMICS, 1);
      for (unsigned i = 0; i < 2; i++) {
         uint32_t value = vgpr_source(wave, inst->src[1] - SRC_VGPR0 + i)[l], kept = value & 0x7fffffff;
         memcpy(&old[i][l], wave->lds + at + i * 4, 4);
         if (value != kept)
            memcpy(wave->lds + at + i * 4, &kept, 4);
      }
   }
   vgprs_land(wave, COUNT_LGKM, inst->dst, 2, active, WHOLE, (const uint32_t(*)[64])old);
   return ISA_NEXT;
}

static enum isa_result
execute_ds_nop(struct wave *wave, const struct inst *inst)
{
   return ISA_NEXT;
}

/* ---- a function for each line of the table ---- */

#define REFUSE_GDS             \
   if (inst->flags & INST_GDS) \
   return isa_illegal(wave, inst)
#define DS_FUNCTION(name, call)                                            \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      REFUSE_GDS;                                                          \
      return call;                                                         \
   }
#define RETURNS_NONE false
#define RETURNS_B32 true
#define RETURNS_B64 true
#define WIDE_B32 false
#define WIDE_B64 true
#define DS_LOAD(opcode, name, type, bytes, is_signed, half) DS_FUNCTION(name, load(wave, inst, bytes, is_signed, half))
#define DS_STORE(opcode, name, type, bytes, shift) DS_FUNCTION(name, store(wave, inst, bytes, shift))
#define DS_LOAD2(opcode, name, type, bytes, unit) DS_FUNCTION(name, load2(wave, inst, bytes, unit))
#define DS_STORE2(opcode, name, type, bytes, unit) DS_FUNCTION(name, store2(wave, inst, bytes, unit))
#define DS_XCHG2(opcode, name, type, data, unit) DS_FUNCTION(name, exchange2(wave, inst, WIDE_##data, unit))
#define DS_ATOMIC(opcode, name, type, data, data1, operation) \
   DS_FUNCTION(name, atomic(wave, inst, ATOMIC_##operation, WIDE_##data, RETURNS_##type))
#define DS_OTHER(opcode, name, ...) DS_FUNCTION(name, execute_##name(wave, inst))
#define DS_STACK DS_OTHER
#define DS_NAME(...)
#include "isa/ds.inc"
#undef DS_LOAD
#undef DS_STORE
#undef DS_LOAD2
#undef DS_STORE2
#undef DS_XCHG2
#undef DS_ATOMIC
#undef DS_OTHER
#undef DS_STACK

const isa_execute_fn execute_ds[ISA_DS_OPS] = {
#define DS_LOAD(opcode, name, ...) [opcode] = name,
#define DS_STORE DS_LOAD
#define DS_LOAD2 DS_LOAD
#define DS_STORE2 DS_LOAD
#define DS_XCHG2 DS_LOAD
#define DS_ATOMIC DS_LOAD
#define DS_OTHER DS_LOAD
#define DS_STACK DS_LOAD
#include "isa/ds.inc"
};
