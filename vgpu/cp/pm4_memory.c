/* SPDX-License-Identifier: MIT */
/* The packets that read, write and wait for memory. */
#include "cp/pm4.h"

#include <string.h>

#include "cp/registers.h"
#include "cp/ring.h"
#include "sq/interpret.h"

static uint64_t
address(const uint32_t *body)
{
   return body[0] | (uint64_t)body[1] << 32;
}

/* ---- waiting ---- */

static bool
compare(uint32_t function, uint64_t value, uint64_t reference)
{
   switch (function) {
   case 1:
      return value < reference;
   case 2:
      return value <= reference;
   case 3:
      return value == reference;
   case 4:
      return value != reference;
   case 5:
      return value >= reference;
   case 6:
      return value > reference;
   default:
      return true; /* 0 always */
   }
}

/* Dword 0: FUNCTION 2:0, MEM_SPACE 5:4 (1 memory) */
enum pm4_result
pm4_wait_reg_mem(struct ring *ring, const uint32_t *body, uint32_t count)
{
   uint32_t value;
   if (body[0] >> 4 & 3) {
      const uint32_t *pointer = ring_pointer(ring, address(body + 1), 4, false, "WAIT_REG_MEM");
      if (!pointer)
         return PM4_FAULT;
      value = __atomic_load_n(pointer, __ATOMIC_ACQUIRE);
   } else {
      value = registers_get(ring->gpu, ring->id, 4 * body[1]);
   }
   return compare(body[0] & 7, value & body[4], body[3]) ? PM4_DONE : PM4_WAIT;
}

/* ---- memory ---- */

enum { DST_REGISTER = 0, DST_MEM_GRBM = 1, DST_TC_L2 = 2, DST_GDS = 3, DST_MEM = 5 };

/* Dword 0: DST_SEL 11:8, WR_ONE_ADDR 16 */
enum pm4_result
pm4_write_data(struct ring *ring, const uint32_t *body, uint32_t count)
{
   uint32_t dst = body[0] >> 8 & 15;
   bool one_address = body[0] & 1 << 16;
   const uint32_t *data = body + 3;
   uint32_t dwords = count - 3;
   if (dst == DST_MEM || dst == DST_MEM_GRBM || dst == DST_TC_L2) {
      if (!one_address)
         return ring_write(ring, address(body + 1), data, 4 * (size_t)dwords, "WRITE_DATA") ? PM4_DONE : PM4_FAULT;
      for (uint32_t i = 0; i < dwords; i++)
         if (!ring_write(ring, address(body + 1), &data[i], 4, "WRITE_DATA"))
            return PM4_FAULT;
   } else if (dst == DST_REGISTER) {
      for (uint32_t i = 0; i < dwords; i++)
         registers_set(ring->gpu, ring->id, 4 * (body[1] + (one_address ? 0 : i)), data[i]);
   } else {
      vgpu_log(ring->gpu, "WRITE_DATA to destination %u is not supported; skipped", dst);
   }
   return PM4_DONE;
}

enum { SRC_REGISTER = 0, SRC_MEM = 1, SRC_TC_L2 = 2, SRC_GDS = 3, SRC_IMMEDIATE = 5, SRC_TIMESTAMP = 9 };

/* Dword 0: SRC_SEL 3:0, DST_SEL 11:8, COUNT_SEL 16 (64 bits) */
enum pm4_result
pm4_copy_data(struct ring *ring, const uint32_t *body, uint32_t count)
{
   uint32_t src = body[0] & 15, dst = body[0] >> 8 & 15;
   size_t size = body[0] & 1 << 16 ? 8 : 4;
   uint64_t value = 0;
   switch (src) {
   case SRC_REGISTER:
      value = registers_get(ring->gpu, ring->id, 4 * body[1]);
      if (size == 8)
         value |= (uint64_t)registers_get(ring->gpu, ring->id, 4 * (body[1] + 1)) << 32;
      break;
   case SRC_MEM:
   case SRC_TC_L2:
      if (!ring_read(ring, address(body + 1), &value, size, "COPY_DATA"))
         return PM4_FAULT;
      break;
   case SRC_GDS: {
      const void *from = gds_pointer(ring, body[1], size, "COPY_DATA");
      if (from)
         memcpy(&value, from, size);
      break;
   }
   case SRC_IMMEDIATE:
      value = address(body + 1);
      break;
   case SRC_TIMESTAMP:
      value = vgpu_timestamp();
      break;
   default:
      vgpu_log(ring->gpu, "COPY_DATA from source %u is not supported; 0 is copied", src);
      break;
   }
   switch (dst) {
   case DST_REGISTER:
      registers_set(ring->gpu, ring->id, 4 * body[3], value);
      if (size == 8)
         registers_set(ring->gpu, ring->id, 4 * (body[3] + 1), value >> 32);
      return PM4_DONE;
   case DST_GDS: {
      void *to = gds_pointer(ring, body[3], size, "COPY_DATA");
      if (to)
         memcpy(to, &value, size);
      return PM4_DONE;
   }
   case DST_MEM_GRBM:
   case DST_TC_L2:
   case DST_MEM:
      return ring_write(ring, address(body + 3), &value, size, "COPY_DATA") ? PM4_DONE : PM4_FAULT;
   default:
      vgpu_log(ring->gpu, "COPY_DATA to destination %u is not supported; skipped", dst);
      return PM4_DONE;
   }
}

enum { DMA_MEMORY = 0, DMA_GDS = 1, DMA_NOWHERE_OR_DATA = 2, DMA_L2 = 3 };

static enum pm4_result
dma_to_gds(struct ring *ring, const uint32_t *body, uint32_t source, size_t size)
{
   uint8_t *to = gds_pointer(ring, body[3], size, "DMA_DATA");
   if (!to)
      return PM4_DONE;
   if (source == DMA_GDS) {
      const uint8_t *from = gds_pointer(ring, body[1], size, "DMA_DATA");
      if (from)
         memmove(to, from, size);
      return PM4_DONE;
   }
   if (source != DMA_NOWHERE_OR_DATA)
      return ring_read(ring, address(body + 1), to, size, "DMA_DATA") ? PM4_DONE : PM4_FAULT;
   for (size_t i = 0; i < size; i++)
      to[i] = body[1] >> 8 * (i % 4);
   return PM4_DONE;
}

/* Dword 0: DST_SEL 21:20, SRC_SEL 30:29; dword 5: BYTE_COUNT 25:0, register accesses 26, 27 */
enum pm4_result
pm4_dma_data(struct ring *ring, const uint32_t *body, uint32_t count)
{
   uint32_t dst_sel = body[0] >> 20 & 3, src_sel = body[0] >> 29 & 3;
   uint64_t src = address(body + 1), dst = address(body + 3);
   size_t size = body[5] & 0x3ffffff;
   if (dst_sel == DMA_NOWHERE_OR_DATA)
      return PM4_DONE; /* a prefetch */
   if (body[5] & 3 << 26) {
      vgpu_log(ring->gpu, "DMA_DATA to or from registers is not supported; skipped");
      return PM4_DONE;
   }
   if (dst_sel == DMA_GDS)
      return dma_to_gds(ring, body, src_sel, size);
   if (src_sel == DMA_GDS) {
      const void *from = gds_pointer(ring, body[1], size, "DMA_DATA");
      return !from || ring_write(ring, dst, from, size, "DMA_DATA") ? PM4_DONE : PM4_FAULT;
   }
   bool done = src_sel == DMA_NOWHERE_OR_DATA ? ring_fill(ring, dst, body[1], size, "DMA_DATA")
                                              : ring_copy(ring, dst, src, size, "DMA_DATA");
   return done ? PM4_DONE : PM4_FAULT;
}

/*
 * Dword 0: ATOMIC 6:0, COMMAND 9:8 (1: again until the comparison holds). The operations come in four rows of 32: with
 * and without return value, 32 and 64 bits.
 */
enum pm4_result
pm4_atomic_mem(struct ring *ring, const uint32_t *body, uint32_t count)
{
   uint32_t op = body[0] & 31;
   size_t size = body[0] & 1 << 5 ? 8 : 4;
   bool loop = (body[0] >> 8 & 3) == 1;
   uint64_t mask = size == 8 ? ~UINT64_C(0) : UINT32_MAX;
   uint64_t sign = size == 8 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
   uint64_t data = address(body + 3) & mask, expected = address(body + 5) & mask;
   void *pointer = ring_pointer(ring, address(body + 1), size, true, "ATOMIC_MEM");
   if (!pointer)
      return PM4_FAULT;

   for (;;) {
      uint64_t old = size == 8 ? __atomic_load_n((uint64_t *)pointer, __ATOMIC_SEQ_CST)
                               : __atomic_load_n((uint32_t *)pointer, __ATOMIC_SEQ_CST);
      uint64_t new;
      switch (op) {
      case 7: /* swap */
         new = data;
         break;
      case 8: /* compare and swap */
         if (old != expected)
            return loop ? PM4_WAIT : PM4_DONE;
         new = data;
         break;
      case 15:
         new = old + data;
         break;
      case 16:
         new = old - data;
         break;
      case 17: /* signed minimum: a flipped sign bit makes the order unsigned */
         new = (old ^ sign) < (data ^ sign) ? old : data;
         break;
      case 18:
         new = old < data ? old : data;
         break;
      case 19:
         new = (old ^ sign) > (data ^ sign) ? old : data;
         break;
      case 20:
         new = old > data ? old : data;
         break;
      case 21:
         new = old &data;
         break;
      case 22:
         new = old | data;
         break;
      case 23:
         new = old ^ data;
         break;
      case 24: /* increment, wrapping at data */
         new = old >= data ? 0 : old + 1;
         break;
      case 25: /* decrement, wrapping to data */
         new = old == 0 || old > data ? data : old - 1;
         break;
      default:
         vgpu_log(ring->gpu, "ATOMIC_MEM operation %u is not supported; skipped", body[0] & 127);
         return PM4_DONE;
      }
      new &= mask;
      uint32_t old32 = old;
      bool swapped =
         size == 8
            ? __atomic_compare_exchange_n((uint64_t *)pointer, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
            : __atomic_compare_exchange_n((uint32_t *)pointer, &old32, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      if (swapped)
         return PM4_DONE;
   }
}

/* ---- events and caches ---- */

enum { EVENT_SAMPLE_PIPELINESTAT = 30, EVENT_PIXEL_PIPE_STAT_DUMP = 57 };

/* The counters of SAMPLE_PIPELINESTAT on gfx11: 14 quadwords, the eleventh being compute shader invocations. Compute
 * rings have that one alone. */
enum { PIPELINESTATS = 14, PIPELINESTAT_CS_INVOCATIONS = 10 };

/* Each render backend has 16 bytes for an occlusion query, a count of the samples that passed when it began and one
 * when it ended; bit 63 says that the count is there (Mesa, radv_query.c). Nothing is drawn: none passed. */
static enum pm4_result
write_sample_counts(struct ring *ring, uint64_t va)
{
   const uint64_t none = UINT64_C(1) << 63;
   for (unsigned i = 0; i < VGPU_RENDER_BACKENDS; i++) {
      if (!ring_write(ring, va + 16 * i, &none, sizeof(none), "occlusion query"))
         return PM4_FAULT;
   }
   return PM4_DONE;
}

enum pm4_result
pm4_event_write_zpass(struct ring *ring, const uint32_t *body, uint32_t count)
{
   return write_sample_counts(ring, address(body));
}

enum pm4_result
pm4_event_write(struct ring *ring, const uint32_t *body, uint32_t count)
{
   if ((body[0] & 63) == EVENT_PIXEL_PIPE_STAT_DUMP && count >= 3)
      return write_sample_counts(ring, address(body + 1));
   if ((body[0] & 63) == EVENT_SAMPLE_PIPELINESTAT && count >= 3) {
      const uint64_t counters[PIPELINESTATS] = {[PIPELINESTAT_CS_INVOCATIONS] = ring->waves->invocations};
      const bool all = ring->id == CP_RING_GFX;
      const uint64_t *from = all ? counters : &counters[PIPELINESTAT_CS_INVOCATIONS];
      if (!ring_write(ring, address(body + 1), from, all ? sizeof(counters) : sizeof(*from), "EVENT_WRITE"))
         return PM4_FAULT;
   }
   return PM4_DONE; /* waits for waves and flushes are satisfied: dispatches run one after the other */
}

/* Dword 1: INT_SEL 26:24, DATA_SEL 31:29 */
enum pm4_result
pm4_release_mem(struct ring *ring, const uint32_t *body, uint32_t count)
{
   uint64_t data;
   size_t size;
   switch (body[1] >> 29) {
   case 0:
      return PM4_DONE;
   case 1:
      data = body[4];
      size = 4;
      break;
   case 2:
      data = address(body + 4);
      size = 8;
      break;
   case 3:
   case 4:
      data = vgpu_timestamp();
      size = 8;
      break;
   default:
      vgpu_log(ring->gpu, "RELEASE_MEM with data %u is not supported; skipped", body[1] >> 29);
      return PM4_DONE;
   }
   return ring_write(ring, address(body + 2), &data, size, "RELEASE_MEM") ? PM4_DONE : PM4_FAULT;
}

/* The last dword is GCR_CNTL; GLI_INV 1:0 asks for the instruction caches. */
enum pm4_result
pm4_acquire_mem(struct ring *ring, const uint32_t *body, uint32_t count)
{
   if (count >= 7 && body[6] & 3)
      icache_invalidate(ring->gpu->sq->icache);
   return PM4_DONE;
}
