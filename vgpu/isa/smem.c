/* SPDX-License-Identifier: MIT */
/* Scalar memory (RDNA3 ISA guide, chapter 8): SBASE is src[0], SOFFSET src[1]. */
#include "isa/pending.h"
#include "isa/traffic.h"

/* The lowest bits of base and offset are dropped. */
static enum isa_result
load(struct wave *wave, const struct inst *inst, unsigned dwords)
{
   uint64_t va = sreg_read64(wave, inst->src[0]) & ~UINT64_C(3);
   va += (uint64_t)(int64_t)inst->offset + sreg_read(wave, inst->src[1]);
   va &= ~UINT64_C(3);
   uint32_t data[16];
   traffic_count(wave, STATS_SCALAR_MEMORY, STATS_READ, dwords * 4);
   for (unsigned i = 0; i < dwords; i++) {
      if (!scalar_load(wave, va + i * 4, &data[i]))
         return isa_raise_memory(wave, inst, va + i * 4, false);
   }
   sgprs_land(wave, inst->dst, dwords, data);
   return ISA_NEXT;
}

/* Through a V#: base 47:0, stride 61:48, num_records 95:64 in bytes, or in records if there is a stride. Dwords that
 * begin outside read 0 (RDNA3 ISA guide, 8.2.1 and 9.1.5). */
static enum isa_result
buffer_load(struct wave *wave, const struct inst *inst, unsigned dwords)
{
   unsigned base = inst->src[0];
   uint64_t address = sreg_read64(wave, base) & 0xffffffffffff;
   uint32_t stride = sreg_read(wave, base + 1) >> 16 & 0x3fff, records = sreg_read(wave, base + 2);
   uint64_t size = stride ? (uint64_t)stride * records : records;
   uint64_t offset = ((uint64_t)(int64_t)inst->offset + sreg_read(wave, inst->src[1])) & ~UINT64_C(3);
   uint32_t data[16], loaded = 0;
   for (unsigned i = 0; i < dwords; i++) {
      uint64_t at = offset + i * 4;
      data[i] = 0;
      if (at >= size)
         continue;
      if (!scalar_load(wave, (address & ~UINT64_C(3)) + at, &data[i]))
         return isa_raise_memory(wave, inst, address + at, false);
      loaded++;
   }
   traffic_count(wave, STATS_SCALAR_MEMORY, STATS_READ, loaded * 4);
   sgprs_land(wave, inst->dst, dwords, data);
   return ISA_NEXT;
}

#define DWORDS_B32 1
#define DWORDS_B64 2
#define DWORDS_B128 4
#define DWORDS_B256 8
#define DWORDS_B512 16

#define SMEM_LOAD(opcode, name, type)                                      \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      return load(wave, inst, DWORDS_##type);                              \
   }
#define SMEM_BUFFER(opcode, name, type)                                    \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      return buffer_load(wave, inst, DWORDS_##type);                       \
   }
#define SMEM_CACHE(opcode, name)
#define SMEM_PROBE(opcode, name, type)
#include "isa/smem.inc"
#undef SMEM_LOAD
#undef SMEM_BUFFER
#undef SMEM_CACHE
#undef SMEM_PROBE

/* There is nothing between a wave and memory that would have to be invalidated or probed. */
static enum isa_result
nothing(struct wave *wave, const struct inst *inst)
{
   return ISA_NEXT;
}

const isa_execute_fn execute_smem[ISA_SMEM_OPS] = {
#define SMEM_LOAD(opcode, name, ...) [opcode] = name,
#define SMEM_BUFFER SMEM_LOAD
#define SMEM_CACHE(opcode, name) [opcode] = nothing,
#define SMEM_PROBE(opcode, name, ...) [opcode] = nothing,
#include "isa/smem.inc"
};
