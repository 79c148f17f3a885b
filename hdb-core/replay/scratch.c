/* SPDX-License-Identifier: MIT */
/*
 * Scratch. Where the capture knows the ring that the driver had set up, waves find theirs there; which wave had which
 * part of it is chance, so that it is left out when memory is compared. Otherwise there is one of the replay's own.
 */
#include <errno.h>

#include "replay/private.h"
#include "target/registers.h"

enum { SHADER_ENGINES = 6, WAVES_PER_ENGINE = 32 };
#define MAX_SCRATCH_PER_WAVE (0x7fffull * 256) /* TMPRING_SIZE.WAVESIZE 26:12 */
#define RSRC2_SCRATCH_EN (1u << 0)

static bool
find_captured(struct replay *replay, const struct hdb_capture_dispatch *dispatch)
{
   uint32_t low, high, ring;
   if (!hdb_capture_register(dispatch, GC_REGISTER(0, 0x1bb0), &low) || /* COMPUTE_DISPATCH_SCRATCH_BASE_LO, HI */
       !hdb_capture_register(dispatch, GC_REGISTER(0, 0x1bb1), &high) ||
       !hdb_capture_register(dispatch, GC_REGISTER(0, 0x1bb8), &ring)) /* COMPUTE_TMPRING_SIZE */
      return false;
   uint64_t units = low | (uint64_t)(high & 0xff) << 32;
   replay->scratch_va = (uint64_t)((int64_t)(units << 24) >> 16);
   replay->scratch_size = (uint64_t)(ring & 0xfff) * (ring >> 12 & 0x7fff) * 256 * SHADER_ENGINES;
   return replay->scratch_size && replay_map(replay, replay->scratch_va, replay->scratch_size);
}

int
replay_prepare_scratch(struct replay *replay, const struct hdb_capture_dispatch *dispatch,
                       const struct hdb_shader *shader)
{
   replay->scratch_captured = find_captured(replay, dispatch);
   if (replay->scratch_captured || !(shader->rsrc2 & RSRC2_SCRATCH_EN))
      return 0;
   replay->scratch_size = 0;
   uint64_t stride = ((uint64_t)shader->scratch_size_per_wave + 255) & ~255ull;
   if (stride > MAX_SCRATCH_PER_WAVE)
      return -EINVAL;
   uint64_t size = stride * WAVES_PER_ENGINE * SHADER_ENGINES;
   if (replay->scratch.size < size) {
      card_unmap(&replay->card, &replay->scratch);
      int error = card_alloc(&replay->card, size, REPLAY_READ | REPLAY_WRITE, &replay->scratch);
      if (error)
         return error;
   }
   replay->scratch_ring = WAVES_PER_ENGINE | (uint32_t)(stride / 256) << 12;
   return 0;
}
