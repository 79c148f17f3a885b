/* SPDX-License-Identifier: MIT */
/* From a dispatch packet and the launch registers of its queue to a dispatch. */
#include "cp/registers.h"
#include "cp/ring.h"
#include "stats.h"

static uint32_t
get(struct ring *ring, uint32_t address)
{
   return registers_get(ring->gpu, ring->id, address);
}

static uint64_t
get_address(struct ring *ring, uint32_t address)
{
   uint64_t units = get(ring, address) | (uint64_t)(get(ring, address + 4) & 0xff) << 32;
   return (uint64_t)((int64_t)(units << 8 << 16) >> 16); /* units of 256 bytes, 48 bits, canonical */
}

/* Workgroups and their sizes. COMPUTE_NUM_THREAD: FULL 15:0, PARTIAL 31:16. */
static void
set_grid(struct ring *ring, struct sq_dispatch *dispatch, const uint32_t dim[3], uint32_t initiator)
{
   for (int i = 0; i < 3; i++) {
      uint32_t threads = get(ring, REG_COMPUTE_NUM_THREAD_X + 4 * i);
      uint32_t full = threads & 0xffff, partial = threads >> 16;
      dispatch->start[i] = initiator & INITIATOR_FORCE_START_AT_000 ? 0 : get(ring, REG_COMPUTE_START_X + 4 * i);
      dispatch->end[i] = dim[i];
      dispatch->full[i] = full;
      dispatch->partial[i] = full;
      if (initiator & INITIATOR_USE_THREAD_DIMENSIONS && full) {
         dispatch->end[i] = dim[i] / full + (dim[i] % full != 0);
         if (dim[i] % full)
            dispatch->partial[i] = dim[i] % full;
      } else if (initiator & INITIATOR_PARTIAL_TG_EN && partial) {
         dispatch->partial[i] = partial;
      }
   }
}

enum pm4_result
dispatch_start(struct ring *ring, const uint32_t dim[3], uint32_t initiator)
{
   /* The packet is a write to these (UMR register database): whoever reads them knows how an indirect grid came out. */
   for (int i = 0; i < 3; i++)
      registers_set(ring->gpu, ring->id, REG_COMPUTE_DIM_X + 4 * i, dim[i]);
   registers_set(ring->gpu, ring->id, REG_COMPUTE_DISPATCH_INITIATOR, initiator);
   if (!(initiator & INITIATOR_COMPUTE_SHADER_EN))
      return PM4_DONE;

   struct sq_dispatch dispatch = {
      .vm = ring->job->vm,
      .ordinal = ring->dispatches++,
      .pc = get_address(ring, REG_COMPUTE_PGM_LO),
      .rsrc1 = get(ring, REG_COMPUTE_PGM_RSRC1),
      .rsrc2 = get(ring, REG_COMPUTE_PGM_RSRC2),
      .rsrc3 = get(ring, REG_COMPUTE_PGM_RSRC3),
      .wave32 = initiator & INITIATOR_CS_W32_EN,
      .scratch_base = get_address(ring, REG_COMPUTE_DISPATCH_SCRATCH_BASE_LO),
      .scratch_waves_per_se = get(ring, REG_COMPUTE_TMPRING_SIZE) & 0xfff,
      .scratch_stride = (get(ring, REG_COMPUTE_TMPRING_SIZE) >> 12 & 0x7fff) * 256,
   };
   for (int i = 0; i < 16; i++)
      dispatch.user_data[i] = get(ring, REG_COMPUTE_USER_DATA_0 + 4 * i);
   set_grid(ring, &dispatch, dim, initiator);
   if (ring->gpu->stats)
      ring->gpu->stats->dispatches++;
   return sq_start(ring->waves, &dispatch) ? PM4_FAULT : PM4_DONE;
}
