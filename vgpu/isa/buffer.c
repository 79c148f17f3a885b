/* SPDX-License-Identifier: MIT */
/* MUBUF without formats, and addressing for all buffer instructions. */
#include "isa/buffer.h"

#include <string.h>

#include "isa/pending.h"
#include "isa/traffic.h"

enum { OOB_INDEX_AND_OFFSET = 0, OOB_INDEX_ONLY = 1, OOB_NUM_RECORDS_0 = 2, OOB_COMPLETE = 3 };

struct buffer
buffer_read(const struct wave *wave, unsigned sreg)
{
   uint32_t word[4];
   for (unsigned i = 0; i < 4; i++)
      word[i] = sreg_read(wave, sreg + i);
   return (struct buffer){
      .base = word[0] | (uint64_t)(word[1] & 0xffff) << 32,
      .stride = word[1] >> 16 & 0x3fff,
      .swizzle = word[1] >> 30,
      .records = word[2],
      .index_stride = 8u << (word[3] >> 21 & 3),
      .add_tid = word[3] >> 23 & 1,
      .oob_select = word[3] >> 28 & 3,
      .format = word[3] >> 12 & 63,
      .select = {word[3] & 7, word[3] >> 3 & 7, word[3] >> 6 & 7, word[3] >> 9 & 7},
   };
}

/* A V# without a format stands for nothing, unless it adds the thread's number (RDNA3 ISA guide, 9.3 and 9.6): loads
 * give 0, stores are dropped. */
static bool
unbound(const struct buffer *buffer)
{
   return !buffer->format && !buffer->add_tid;
}

/* How many of a lane's dwords (or narrower accesses, counted as one) begin in the buffer. `offset` leaves out SOFFSET,
 * which a raw buffer's size is lessened by (RDNA3 ISA guide, 9.1.5.3; Mesa's ac_descriptors.c: offset >= NUM_RECORDS is
 * out of bounds). ACO relies on a last dword of which NUM_RECORDS cuts off a part. */
static unsigned
dwords_in_bounds(const struct buffer *buffer, uint64_t index, uint64_t offset, uint32_t soffset, unsigned bytes)
{
   unsigned dwords = (bytes + 3) / 4;
   uint64_t limit;
   unsigned oob_select = buffer->oob_select;
   if (oob_select == OOB_COMPLETE && buffer->swizzle && buffer->stride)
      oob_select = OOB_INDEX_AND_OFFSET;
   switch (oob_select) {
   case OOB_INDEX_AND_OFFSET:
      if (index >= buffer->records)
         return 0;
      limit = buffer->stride;
      break;
   case OOB_INDEX_ONLY:
      return index < buffer->records ? dwords : 0;
   case OOB_NUM_RECORDS_0:
      return buffer->records ? dwords : 0;
   default:
      limit = buffer->records > soffset ? buffer->records - soffset : 0;
      offset += index * buffer->stride;
      break;
   }
   if (offset >= limit)
      return 0;
   uint64_t fit = (limit - offset + 3) / 4;
   return fit < dwords ? (unsigned)fit : dwords;
}

/* Swizzled buffers interleave elements of 4, 8 or 16 bytes of INDEX_STRIDE records. */
static uint64_t
buffer_offset(const struct buffer *buffer, uint64_t index, uint64_t offset)
{
   if (!buffer->swizzle)
      return index * buffer->stride + offset;
   uint64_t element = 2u << buffer->swizzle;
   uint64_t index_high = index / buffer->index_stride, index_low = index % buffer->index_stride;
   uint64_t offset_high = offset / element, offset_low = offset % element;
   return (index_high * buffer->stride + offset_high * element) * buffer->index_stride + index_low * element +
          offset_low;
}

/* Offsets wrap at 32 bits: compilers leave x * 4 in the VGPR and 24 here of (x + 6) * 4, and x may be -1. */
static uint32_t
lane_offset(const struct inst *inst, const uint32_t *offset, unsigned lane)
{
   return (uint32_t)inst->offset + (offset ? offset[lane] : 0);
}

/* The usual case: a raw buffer by offset alone, all lanes within it. */
static bool
simple_access(const struct buffer *buffer, const struct inst *inst, const uint32_t *offset, uint32_t soffset,
              unsigned bytes, struct lane_access *access)
{
   if (buffer->swizzle || buffer->add_tid || inst->flags & INST_IDXEN || buffer->oob_select != OOB_COMPLETE)
      return false;
   uint64_t limit = buffer->records > soffset ? buffer->records - soffset : 0;
   uint64_t farthest = 0, base = buffer->base + soffset;
   for (unsigned l = 0; l < 64; l++) {
      uint32_t at = lane_offset(inst, offset, l);
      access->va[l] = base + at;
      farthest = at > farthest ? at : farthest;
   }
   return farthest + bytes <= limit;
}

bool
buffer_access(struct wave *wave, const struct inst *inst, const struct buffer *descriptor, struct lane_access *access,
              unsigned bytes)
{
   /* Swizzling interleaves records. What names none is linear: compilers make descriptors of a code address whose upper
    * half is sign-extended into STRIDE and SWIZZLE_ENABLE. */
   struct buffer linear = *descriptor;
   linear.swizzle = 0;
   const struct buffer *buffer = inst->flags & INST_IDXEN || descriptor->add_tid ? descriptor : &linear;
   uint32_t soffset = source32(wave, inst, 2);
   unsigned vaddr = inst->src[0] - SRC_VGPR0;
   const uint32_t *index = inst->flags & INST_IDXEN ? vgpr_source(wave, vaddr++) : NULL;
   const uint32_t *offset = inst->flags & INST_OFFEN ? vgpr_source(wave, vaddr) : NULL;
   if (buffer->swizzle && bytes > 2u << buffer->swizzle) {
      isa_illegal(wave, inst);
      return false;
   }
   access->lanes = active_lanes(wave);
   access->stride = 4;
   access->lds = access->bounded = false;
   if (unbound(buffer)) {
      memset(access->in_bounds, 0, sizeof access->in_bounds);
      memset(access->va, 0, sizeof access->va);
      access->bounded = true;
      return true;
   }
   if (simple_access(buffer, inst, offset, soffset, bytes, access))
      return true;
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      uint64_t record = (index ? index[l] : 0) + (buffer->add_tid ? l : 0);
      uint32_t at = lane_offset(inst, offset, l);
      access->va[l] = buffer->base + soffset + buffer_offset(buffer, record, at);
      access->in_bounds[l] = (uint8_t)dwords_in_bounds(buffer, record, at, soffset, bytes);
      access->bounded |= access->in_bounds[l] < (bytes + 3) / 4 && (access->lanes >> l & 1);
   }
   return true;
}

/* Lanes some of whose bytes are on a page that is missing. */
static uint64_t
missing_lanes(struct wave *wave, const struct lane_access *access, unsigned bytes)
{
   uint64_t missing = 0;
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      bool first, last;
      if (!(access->lanes >> l & 1) || (access->bounded && !access->in_bounds[l]))
         continue;
      memory_at(wave, access->va[l], VM_READ, &first);
      memory_at(wave, access->va[l] + bytes - 1, VM_READ, &last);
      missing |= (uint64_t)(first || last) << l;
   }
   return missing;
}

/* It counts as part of the load that landed before it. */
void
buffer_return_status(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes,
                     unsigned count)
{
   if (!(inst->flags & INST_TFE))
      return;
   uint64_t missing = missing_lanes(wave, access, bytes);
   uint32_t status[1][64];
   for (unsigned l = 0; l < 64; l++)
      status[0][l] = missing >> l & 1;
   vgprs_land(wave, 0, inst->dst + count, 1, access->lanes, WHOLE, (const uint32_t(*)[64])status);
}

/* RDNA3 ISA guide, 9.5: LDS_offset is M0[15:0]; a dword a lane. */
void
buffer_to_lds(struct wave *wave, const struct inst *inst, const struct lane_access *access, const uint32_t *data)
{
   uint64_t base = (sreg_read(wave, SREG_M0) & 0xffff) + (uint64_t)(uint32_t)inst->offset;
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      uint64_t at = base + l * 4;
      if ((access->lanes >> l & 1) && at + 4 <= wave->lds_size) {
         memcpy(wave->lds + at, &data[l], 4);
         traffic_count(wave, STATS_LDS_MEMORY, STATS_WRITTEN, 4);
      }
   }
   vgprs_land(wave, COUNT_VM, 0, 0, 0, WHOLE, (const uint32_t(*)[64])data);
}

static enum isa_result
load(struct wave *wave, const struct inst *inst, unsigned bytes, bool is_signed, unsigned half)
{
   struct buffer buffer = buffer_read(wave, inst->src[1]);
   struct lane_access access;
   uint32_t data[4][64];
   if (!buffer_access(wave, inst, &buffer, &access, bytes) || !lanes_load(wave, inst, &access, bytes, is_signed, data))
      return ISA_TRAP;
   vgprs_land(wave, COUNT_VM, inst->dst, (bytes + 3) / 4, access.lanes, half, (const uint32_t(*)[64])data);
   buffer_return_status(wave, inst, &access, bytes, (bytes + 3) / 4);
   return ISA_NEXT;
}

static enum isa_result
store(struct wave *wave, const struct inst *inst, unsigned bytes, unsigned shift)
{
   struct buffer buffer = buffer_read(wave, inst->src[1]);
   struct lane_access access;
   if (!buffer_access(wave, inst, &buffer, &access, bytes) ||
       !lanes_store(wave, inst, &access, bytes, shift, inst->dst))
      return ISA_TRAP;
   store_count(wave, false);
   return ISA_NEXT;
}

static enum isa_result
atomic(struct wave *wave, const struct inst *inst, enum atomic_operation operation, bool wide)
{
   struct buffer buffer = buffer_read(wave, inst->src[1]);
   struct lane_access access;
   uint32_t data[2][64];
   if (!buffer_access(wave, inst, &buffer, &access, wide ? 8 : 4) ||
       !lanes_atomic(wave, inst, &access, operation, wide, inst->dst, inst->dst + (wide ? 2 : 1), data))
      return ISA_TRAP;
   if (inst->flags & INST_GLC)
      vgprs_land(wave, COUNT_VM, inst->dst, wide ? 2 : 1, access.lanes, WHOLE, (const uint32_t(*)[64])data);
   else
      store_count(wave, false);
   return ISA_NEXT;
}

static enum isa_result
load_lds(struct wave *wave, const struct inst *inst, unsigned bytes, bool is_signed)
{
   struct buffer buffer = buffer_read(wave, inst->src[1]);
   struct lane_access access;
   uint32_t data[1][64];
   if (!buffer_access(wave, inst, &buffer, &access, bytes) || !lanes_load(wave, inst, &access, bytes, is_signed, data))
      return ISA_TRAP;
   buffer_to_lds(wave, inst, &access, data[0]);
   return ISA_NEXT;
}

#define WIDE_B32 false
#define WIDE_B64 true

#define MEMORY_LOAD(opcode, name, type, bytes, is_signed, half)            \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      return load(wave, inst, bytes, is_signed, half);                     \
   }
#define MEMORY_STORE(opcode, name, type, bytes, shift)                     \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      return store(wave, inst, bytes, shift);                              \
   }
#define MEMORY_ATOMIC(opcode, name, type, data, operation)                 \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      return atomic(wave, inst, ATOMIC_##operation, WIDE_##type);          \
   }
#define MEMORY_ATOMIC_CSUB MEMORY_ATOMIC
#include "isa/memory.inc"
#undef MEMORY_LOAD
#undef MEMORY_STORE
#undef MEMORY_ATOMIC
#undef MEMORY_ATOMIC_CSUB

#define MUBUF_FORMAT_LOAD(...)
#define MUBUF_FORMAT_STORE(...)
#define MUBUF_FORMAT_LDS(...)
#define MUBUF_CACHE(...)
#define MUBUF_LDS(opcode, name, bytes, is_signed)                          \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      return load_lds(wave, inst, bytes, is_signed);                       \
   }
#include "isa/mubuf.inc"
#undef MUBUF_FORMAT_LOAD
#undef MUBUF_FORMAT_STORE
#undef MUBUF_FORMAT_LDS
#undef MUBUF_CACHE
#undef MUBUF_LDS

static enum isa_result
nothing(struct wave *wave, const struct inst *inst)
{
   return ISA_NEXT;
}

const isa_execute_fn execute_mubuf[ISA_MUBUF_OPS] = {
#define MEMORY_LOAD(opcode, name, ...) [opcode] = name,
#define MEMORY_STORE MEMORY_LOAD
#define MEMORY_ATOMIC MEMORY_LOAD
#define MEMORY_ATOMIC_CSUB MEMORY_LOAD
#include "isa/memory.inc"
#define MUBUF_FORMAT_LOAD(opcode, name, ...) [opcode] = name,
#define MUBUF_FORMAT_STORE MUBUF_FORMAT_LOAD
#define MUBUF_FORMAT_LDS MUBUF_FORMAT_LOAD
#define MUBUF_LDS MUBUF_FORMAT_LOAD
#define MUBUF_CACHE(opcode, name) [opcode] = nothing,
#include "isa/mubuf.inc"
};
