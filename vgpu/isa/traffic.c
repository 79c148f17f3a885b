/* SPDX-License-Identifier: MIT */
#include "isa/traffic.h"

/* Scratch is told from global memory by its stride: FLAT instructions may access either. */
static enum stats_memory
memory_of(const struct inst *inst, const struct lane_access *access)
{
   if (access->lds)
      return STATS_LDS_MEMORY;
   switch (inst->encoding) {
   case ISA_MUBUF:
   case ISA_MTBUF:
      return STATS_BUFFER_MEMORY;
   case ISA_MIMG:
      return STATS_IMAGE_MEMORY;
   default:
      return access->stride == 4 ? STATS_GLOBAL_MEMORY : STATS_SCRATCH_MEMORY;
   }
}

static unsigned
bytes_in_bounds(const struct wave *wave, const struct lane_access *access, unsigned lane, unsigned bytes)
{
   if (access->lds)
      return access->va[lane] <= wave->lds_size && bytes <= wave->lds_size - access->va[lane] ? bytes : 0;
   if (!access->bounded || access->in_bounds[lane] >= (bytes + 3) / 4)
      return bytes;
   return access->in_bounds[lane] * 4u;
}

void
traffic_count_each(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes,
                   enum stats_direction direction)
{
   uint64_t amount = 0;
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      if (!(access->lanes >> l & 1))
         continue;
      unsigned here = bytes_in_bounds(wave, access, l, bytes);
      amount += direction == STATS_ATOMICS ? here == bytes : here;
   }
   traffic_count(wave, memory_of(inst, access), direction, amount);
}
