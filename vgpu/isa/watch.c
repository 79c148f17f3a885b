/* SPDX-License-Identifier: MIT */
#include "isa/watch.h"

#include "cp/registers.h"
#include "gpu.h"

#define BLOCK UINT64_C(128)
#define ADDRESS_BITS ((UINT64_C(1) << 48) - 1)

/* ADDR_H 15:0, ADDR_L 31:7; CNTL: MASK 22:0, VMID 27:24, MODE 30:29, VALID 31. MASK says which of the address's bits
 * 29:7 count; those above always do. */
static bool
sees(const struct wave *wave, unsigned n, uint64_t block, enum watch_kind kind)
{
   uint32_t cntl = registers_get(wave->gpu, CP_RING_GFX, REG_TCP_WATCH0_ADDR_H + 12 * n + 8);
   if (!(cntl & TCP_WATCH_VALID) || (cntl >> 24 & 15) != wave->vm->vmid)
      return false;
   enum { MODE_READ, MODE_NONREAD, MODE_ATOMIC, MODE_ALL } mode = cntl >> 29 & 3;
   bool wanted = mode == MODE_ALL || (mode == MODE_READ && kind == WATCH_READ) ||
                 (mode == MODE_NONREAD && kind != WATCH_READ) || (mode == MODE_ATOMIC && kind == WATCH_ATOMIC);
   uint64_t address = registers_get(wave->gpu, CP_RING_GFX, REG_TCP_WATCH0_ADDR_H + 12 * n + 4) |
                      (uint64_t)(registers_get(wave->gpu, CP_RING_GFX, REG_TCP_WATCH0_ADDR_H + 12 * n) & 0xffff) << 32;
   uint64_t counts = (ADDRESS_BITS & ~((UINT64_C(1) << 30) - 1)) | (uint64_t)(cntl & 0x7fffff) << 7;
   return wanted && !((block ^ address) & counts);
}

static void
see(struct wave *wave, uint64_t va, unsigned bytes, enum watch_kind kind)
{
   static const uint32_t bits[] = {TRAPSTS_ADDR_WATCH0, TRAPSTS_ADDR_WATCH1, TRAPSTS_ADDR_WATCH2, TRAPSTS_ADDR_WATCH3};
   uint64_t last = va + bytes - 1;
   for (uint64_t block = va & ~(BLOCK - 1); block <= last; block += BLOCK) {
      for (unsigned n = 0; n < 4; n++)
         wave->watch_hits |= sees(wave, n, block, kind) ? bits[n] : 0;
   }
}

/* Where no lane is known. */
void
watch_bytes(struct wave *wave, uint64_t va, unsigned bytes, enum watch_kind kind)
{
   see(wave, va, bytes, kind);
   if (!wave->priv)
      wave->watch_seen.lanes = 0;
}

static void
see_lane(struct wave *wave, const struct lane_access *access, unsigned lane, unsigned bytes, enum watch_kind kind)
{
   unsigned dwords = (bytes + 3) / 4, part = bytes < 4 ? bytes : 4;
   for (unsigned d = 0; d < dwords; d++) {
      if (!access->bounded || d < access->in_bounds[lane])
         see(wave, access->va[lane] + (uint64_t)d * access->stride, part, kind);
   }
}

void
watch_each(struct wave *wave, const struct lane_access *access, unsigned bytes, enum watch_kind kind)
{
   struct vgpu_watched seen = {.bytes = bytes, .stride = access->stride};
   uint32_t all = 0;
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      if (!(access->lanes >> l & 1))
         continue;
      wave->watch_hits = 0;
      see_lane(wave, access, l, bytes, kind);
      seen.va[l] = access->va[l];
      seen.lanes |= (uint64_t)(wave->watch_hits != 0) << l;
      all |= wave->watch_hits;
   }
   wave->watch_hits = all;
   if (all && !wave->priv) /* the handler works for the debugger, who asks for what came before */
      wave->watch_seen = seen;
}

/* In the trap handler nothing traps, but the bits are set: what it loads for the debugger passes there, too. */
enum isa_result
watch_raise(struct wave *wave, const struct inst *inst, enum isa_result result)
{
   uint32_t hits = wave->watch_hits;
   wave->watch_hits = 0;
   wave->trapsts |= hits;
   if (result != ISA_NEXT || wave->priv || !(wave->mode & MODE_EXCP_EN_ADDR_WATCH))
      return result;
   return isa_raise(wave, inst, hits);
}
