/* SPDX-License-Identifier: MIT */
/*
 * FLAT, GLOBAL and SCRATCH (RDNA3 ISA guide, chapter 10): address in VGPR src[0], data in VGPR src[1], SADDR src[2]
 * (NULL: none), all as selectors.
 */
#include <string.h>

#include "isa/memory.h"
#include "isa/pending.h"

/* Scratch is interleaved: dword d of lane l lies at base + (d * lanes + l) * 4. */
static uint64_t
scratch_va(const struct wave *wave, uint32_t offset, unsigned lane)
{
   return wave->scratch_base + (uint64_t)(offset / 4 * wave_lanes(wave) + lane) * 4 + offset % 4;
}

static void
global_access(struct wave *wave, const struct inst *inst, struct lane_access *access)
{
   access->lanes = active_lanes(wave);
   access->stride = 4;
   access->lds = access->bounded = false;
   unsigned lanes = wave_lanes(wave);
   if (inst->op->flags & OP_ADDTID) {
      uint64_t base =
         (inst->src[2] == SREG_NULL ? 0 : sreg_read64(wave, inst->src[2])) + (uint64_t)(int64_t)inst->offset;
      for (unsigned l = 0; l < lanes; l++)
         access->va[l] = base + l * 4;
      return;
   }
   const uint32_t *lo = vgpr_source(wave, inst->src[0] - SRC_VGPR0);
   if (inst->src[2] != SREG_NULL) {
      uint64_t base = sreg_read64(wave, inst->src[2]) + (uint64_t)(int64_t)inst->offset;
      for (unsigned l = 0; l < lanes; l++)
         access->va[l] = base + lo[l];
      return;
   }
   const uint32_t *hi = vgpr_source(wave, inst->src[0] - SRC_VGPR0 + 1u);
   for (unsigned l = 0; l < lanes; l++)
      access->va[l] = (lo[l] | (uint64_t)hi[l] << 32) + (uint64_t)(int64_t)inst->offset;
}

static void
scratch_access(struct wave *wave, const struct inst *inst, struct lane_access *access)
{
   access->lanes = active_lanes(wave);
   access->stride = wave_lanes(wave) * 4;
   access->lds = access->bounded = false;
   const uint32_t *offset = inst->flags & INST_OFFEN ? vgpr_source(wave, inst->src[0] - SRC_VGPR0) : NULL;
   uint32_t base = (inst->src[2] == SREG_NULL ? 0 : sreg_read(wave, inst->src[2])) + (uint32_t)inst->offset;
   for (unsigned l = 0; l < wave_lanes(wave); l++)
      access->va[l] = scratch_va(wave, base + (offset ? offset[l] : 0), l);
}

/* FLAT addresses fall into LDS or scratch when the upper 16 bits say so, tested before the offset is added. */
static void
flat_access(struct wave *wave, const struct inst *inst, struct lane_access access[3])
{
   global_access(wave, inst, &access[0]);
   access[1] = access[2] = access[0];
   access[1].lds = true;
   access[2].stride = wave_lanes(wave) * 4;
   uint64_t shared = 0, private = 0;
   uint32_t shared_base = wave->sh_mem_bases >> 16, private_base = wave->sh_mem_bases & 0xffff;
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      uint32_t upper = (uint32_t)((access[0].va[l] - (uint64_t)(int64_t)inst->offset) >> 48);
      uint32_t offset = (uint32_t)access[0].va[l];
      if (shared_base && upper == shared_base)
         shared |= UINT64_C(1) << l;
      else if (private_base && upper == private_base)
      private |= UINT64_C(1) << l;
      access[1].va[l] = offset;
      access[2].va[l] = scratch_va(wave, offset, l);
   }
   access[0].lanes &= ~(shared | private);
   access[1].lanes &= shared;
   access[2].lanes &= private;
}

/* An access that is not aligned to dwords crosses from one dword of the lane to its next, which lies elsewhere. Such
 * accesses are done byte by byte. */
static bool
scratch_unaligned(struct wave *wave, const struct lane_access *access, unsigned bytes)
{
   if (access->stride == 4)
      return false;
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      if ((access->lanes >> l & 1) && (access->va[l] & 3) + (bytes < 4 ? bytes : 4) > 4)
         return true;
   }
   return false;
}

static uint64_t
scratch_byte(const struct wave *wave, uint64_t va, unsigned byte)
{
   unsigned in_dword = (unsigned)(va & 3) + byte;
   return (va & ~UINT64_C(3)) + (uint64_t)(in_dword / 4) * wave_lanes(wave) * 4 + in_dword % 4;
}

static bool
unaligned_load(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes,
               bool is_signed, uint32_t (*data)[64])
{
   uint8_t gathered[64][16] = {{0}};
   for (unsigned b = 0; b < bytes; b++) {
      struct lane_access byte = *access;
      uint32_t value[1][64];
      for (unsigned l = 0; l < wave_lanes(wave); l++)
         byte.va[l] = scratch_byte(wave, access->va[l], b);
      if (!lanes_load(wave, inst, &byte, 1, false, value))
         return false;
      for (unsigned l = 0; l < wave_lanes(wave); l++)
         gathered[l][b] = access->lanes >> l & 1 ? (uint8_t)value[0][l] : 0;
   }
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      for (unsigned d = 0; d < (bytes + 3) / 4; d++)
         memcpy(&data[d][l], &gathered[l][d * 4], 4);
      if (bytes == 2 && is_signed)
         data[0][l] = (uint32_t)(int32_t)(int16_t)data[0][l];
   }
   return true;
}

static bool
unaligned_store(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes,
                unsigned shift, unsigned first)
{
   for (unsigned b = 0; b < bytes; b++) {
      struct lane_access byte = *access;
      for (unsigned l = 0; l < wave_lanes(wave); l++)
         byte.va[l] = scratch_byte(wave, access->va[l], b);
      if (!lanes_store(wave, inst, &byte, 1, shift + b % 4 * 8, first + b / 4))
         return false;
   }
   return true;
}

static enum isa_result
load(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned counters, unsigned bytes,
     bool is_signed, unsigned half)
{
   uint32_t data[4][64];
   bool loaded = scratch_unaligned(wave, access, bytes) ? unaligned_load(wave, inst, access, bytes, is_signed, data)
                                                        : lanes_load(wave, inst, access, bytes, is_signed, data);
   if (!loaded)
      return ISA_TRAP;
   vgprs_land(wave, counters, inst->dst, (bytes + 3) / 4, access->lanes, half, (const uint32_t(*)[64])data);
   return ISA_NEXT;
}

static enum isa_result
store(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes, unsigned shift)
{
   unsigned first = inst->src[1] - SRC_VGPR0;
   bool stored = scratch_unaligned(wave, access, bytes) ? unaligned_store(wave, inst, access, bytes, shift, first)
                                                        : lanes_store(wave, inst, access, bytes, shift, first);
   if (!stored)
      return ISA_TRAP;
   store_count(wave, false);
   return ISA_NEXT;
}

/* Data of a compare-and-swap: the new value, then the one to compare with. */
static enum isa_result
atomic(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned counters,
       enum atomic_operation operation, bool wide)
{
   uint32_t data[2][64];
   unsigned source = inst->src[1] - SRC_VGPR0;
   if (!lanes_atomic(wave, inst, access, operation, wide, source, source + (wide ? 2 : 1), data))
      return ISA_TRAP;
   if (inst->flags & INST_GLC)
      vgprs_land(wave, counters, inst->dst, wide ? 2 : 1, access->lanes, WHOLE, (const uint32_t(*)[64])data);
   else
      store_count(wave, false);
   return ISA_NEXT;
}

/* FLAT waits on both counters, whatever it has found behind its addresses. */
#define EACH_APERTURE(call)                    \
   struct lane_access access[3];               \
   flat_access(wave, inst, access);            \
   for (unsigned i = 0; i < 3; i++) {          \
      if (access[i].lanes && call != ISA_NEXT) \
         return ISA_TRAP;                      \
   }                                           \
   return ISA_NEXT

#define WIDE_B32 false
#define WIDE_B64 true

#define MEMORY_LOAD(opcode, name, type, bytes, is_signed, half)                                   \
   static enum isa_result global_##name(struct wave *wave, const struct inst *inst)               \
   {                                                                                              \
      struct lane_access access;                                                                  \
      global_access(wave, inst, &access);                                                         \
      return load(wave, inst, &access, COUNT_VM, bytes, is_signed, half);                         \
   }                                                                                              \
   static enum isa_result scratch_##name(struct wave *wave, const struct inst *inst)              \
   {                                                                                              \
      struct lane_access access;                                                                  \
      scratch_access(wave, inst, &access);                                                        \
      return load(wave, inst, &access, COUNT_VM, bytes, is_signed, half);                         \
   }                                                                                              \
   static enum isa_result flat_##name(struct wave *wave, const struct inst *inst)                 \
   {                                                                                              \
      EACH_APERTURE(load(wave, inst, &access[i], COUNT_VM | COUNT_LGKM, bytes, is_signed, half)); \
   }
#define MEMORY_STORE(opcode, name, type, bytes, shift)                               \
   static enum isa_result global_##name(struct wave *wave, const struct inst *inst)  \
   {                                                                                 \
      struct lane_access access;                                                     \
      global_access(wave, inst, &access);                                            \
      return store(wave, inst, &access, bytes, shift);                               \
   }                                                                                 \
   static enum isa_result scratch_##name(struct wave *wave, const struct inst *inst) \
   {                                                                                 \
      struct lane_access access;                                                     \
      scratch_access(wave, inst, &access);                                           \
      return store(wave, inst, &access, bytes, shift);                               \
   }                                                                                 \
   static enum isa_result flat_##name(struct wave *wave, const struct inst *inst)    \
   {                                                                                 \
      EACH_APERTURE(store(wave, inst, &access[i], bytes, shift));                    \
   }
#define MEMORY_ATOMIC_CSUB(opcode, name, type, data, operation)                      \
   static enum isa_result global_##name(struct wave *wave, const struct inst *inst)  \
   {                                                                                 \
      struct lane_access access;                                                     \
      global_access(wave, inst, &access);                                            \
      return atomic(wave, inst, &access, COUNT_VM, ATOMIC_##operation, WIDE_##type); \
   }
#define MEMORY_ATOMIC(opcode, name, type, data, operation)                                                   \
   MEMORY_ATOMIC_CSUB(opcode, name, type, data, operation)                                                   \
   static enum isa_result flat_##name(struct wave *wave, const struct inst *inst)                            \
   {                                                                                                         \
      EACH_APERTURE(atomic(wave, inst, &access[i], COUNT_VM | COUNT_LGKM, ATOMIC_##operation, WIDE_##type)); \
   }
#include "isa/memory.inc"
#undef MEMORY_LOAD
#undef MEMORY_STORE
#undef MEMORY_ATOMIC
#undef MEMORY_ATOMIC_CSUB

const isa_execute_fn execute_global[ISA_FLAT_OPS] = {
#define MEMORY_LOAD(opcode, name, ...) [opcode] = global_##name,
#define MEMORY_STORE MEMORY_LOAD
#define MEMORY_ATOMIC MEMORY_LOAD
#define MEMORY_ATOMIC_CSUB MEMORY_LOAD
#include "isa/memory.inc"
#undef MEMORY_LOAD
   /* An address of their own, otherwise as any other. */
   [ISA_GLOBAL_LOAD_ADDTID] = global_load_b32,
   [ISA_GLOBAL_STORE_ADDTID] = global_store_b32,
};

const isa_execute_fn execute_flat[ISA_FLAT_OPS] = {
#define MEMORY_LOAD(opcode, name, ...) [opcode] = flat_##name,
#undef MEMORY_ATOMIC_CSUB
#define MEMORY_ATOMIC_CSUB(...)
#include "isa/memory.inc"
#undef MEMORY_LOAD
};

const isa_execute_fn execute_scratch[ISA_FLAT_OPS] = {
#define MEMORY_LOAD(opcode, name, ...) [opcode] = scratch_##name,
#undef MEMORY_ATOMIC
#define MEMORY_ATOMIC(...)
#include "isa/memory.inc"
};
