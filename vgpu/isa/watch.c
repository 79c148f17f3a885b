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

/* By which of them the bytes are seen. */
static uint32_t
see(const struct wave *wave, uint64_t va, unsigned bytes, enum watch_kind kind)
{
   static const uint32_t bits[] = {TRAPSTS_ADDR_WATCH0, TRAPSTS_ADDR_WATCH1, TRAPSTS_ADDR_WATCH2, TRAPSTS_ADDR_WATCH3};
   uint64_t last = va + bytes - 1;
   uint32_t hits = 0;
   for (uint64_t block = va & ~(BLOCK - 1); block <= last; block += BLOCK) {
      for (unsigned n = 0; n < 4; n++)
         hits |= sees(wave, n, block, kind) ? bits[n] : 0;
   }
   return hits;
}

static uint32_t
see_lane(const struct wave *wave, const struct vgpu_watched *access, unsigned lane, enum watch_kind kind)
{
   uint32_t hits = 0;
   for (unsigned i = 0; i < access->bytes[lane]; i += 4) {
      unsigned left = access->bytes[lane] - i;
      hits |= see(wave, access->va[lane] + (uint64_t)(i / 4) * access->stride, left < 4 ? left : 4, kind);
   }
   return hits;
}

/* ---- what is there ---- */

static bool
read_lane(struct wave *wave, const struct vgpu_watched *access, unsigned lane, uint8_t values[16])
{
   bool good = true;
   for (unsigned i = 0; i < access->bytes[lane] && good; i += 4) {
      unsigned left = access->bytes[lane] - i;
      good = memory_read(wave, access->va[lane] + (uint64_t)(i / 4) * access->stride, values + i, left < 4 ? left : 4);
   }
   return good;
}

static void
read_lanes(struct wave *wave, struct vgpu_watched *access, uint64_t lanes, uint8_t values[64][16])
{
   for (uint64_t left = lanes; left && access->values; left &= left - 1) {
      unsigned lane = (unsigned)__builtin_ctzll(left);
      access->values = read_lane(wave, access, lane, values[lane]);
   }
}

/* Until the instruction has run no other one that is watched runs: what it finds and leaves is of its own doing. */
static void
lock(struct wave *wave)
{
   if (wave->watch_locked)
      return;
   pthread_mutex_lock(&wave->gpu->watch_lock);
   wave->watch_locked = true;
   wave->watch_mixed = false;
   wave->watch_seen.lanes = 0;
   wave->watch_seen.values = true;
   wave->watch_seen.order = ++wave->gpu->watch_order;
}

/* Where lanes are not known, or do several things. */
static void
mix(struct wave *wave)
{
   wave->watch_mixed = true;
   wave->watch_seen.lanes = 0;
}

/* An instruction may access memory in parts, for different lanes. */
static void
note(struct wave *wave, const struct vgpu_watched *access)
{
   struct vgpu_watched *seen = &wave->watch_seen;
   lock(wave);
   if (wave->watch_mixed || seen->lanes & access->lanes || (seen->lanes && seen->stride != access->stride)) {
      mix(wave);
      return;
   }
   seen->stride = access->stride;
   for (uint64_t left = access->lanes; left; left &= left - 1) {
      unsigned lane = (unsigned)__builtin_ctzll(left);
      seen->va[lane] = access->va[lane];
      seen->bytes[lane] = access->bytes[lane];
   }
   seen->lanes |= access->lanes;
   read_lanes(wave, seen, access->lanes, seen->before);
}

/* ---- accesses ---- */

/* Where no lane is known. */
void
watch_bytes(struct wave *wave, uint64_t va, unsigned bytes, enum watch_kind kind)
{
   uint32_t hits = see(wave, va, bytes, kind);
   wave->watch_hits |= hits;
   if (!hits || wave->priv)
      return;
   lock(wave);
   mix(wave);
}

void
watch_each(struct wave *wave, const struct lane_access *access, unsigned bytes, enum watch_kind kind)
{
   struct vgpu_watched all = {.stride = access->stride};
   uint32_t hits = 0;
   for (uint64_t left = access->lanes; left; left &= left - 1) {
      unsigned lane = (unsigned)__builtin_ctzll(left), most = access->bounded ? 4u * access->in_bounds[lane] : bytes;
      all.va[lane] = access->va[lane];
      all.bytes[lane] = bytes < most ? bytes : most;
      uint32_t hit = see_lane(wave, &all, lane, kind);
      all.lanes |= (uint64_t)(hit != 0) << lane;
      hits |= hit;
   }
   wave->watch_hits |= hits;
   if (hits && !wave->priv) /* the handler works for the debugger, who asks for what came before */
      note(wave, &all);
}

/* In the trap handler nothing traps, but the bits are set: what it loads for the debugger passes there, too. */
enum isa_result
watch_raise(struct wave *wave, const struct inst *inst, enum isa_result result)
{
   uint32_t hits = wave->watch_hits;
   if (wave->watch_locked) {
      read_lanes(wave, &wave->watch_seen, wave->watch_seen.lanes, wave->watch_seen.after);
      wave->watch_locked = false;
      pthread_mutex_unlock(&wave->gpu->watch_lock);
   }
   wave->watch_hits = 0;
   wave->trapsts |= hits;
   if (result != ISA_NEXT || wave->priv || !(wave->mode & MODE_EXCP_EN_ADDR_WATCH))
      return result;
   return isa_raise(wave, inst, hits);
}
