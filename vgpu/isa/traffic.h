/* SPDX-License-Identifier: MIT */
/* Counts what instructions move to and from memory, if anybody wants to know (stats.h). */
#ifndef VGPU_ISA_TRAFFIC_H
#define VGPU_ISA_TRAFFIC_H

#include "isa/memory.h"
#include "stats.h"

static inline void
traffic_count(struct wave *wave, enum stats_memory memory, enum stats_direction direction, uint64_t amount)
{
   if (wave->stats)
      wave->stats->traffic[memory][direction] += amount;
}

void traffic_count_each(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes,
                        enum stats_direction direction);

/* An access of `bytes` by each of its lanes. */
static inline void
traffic_count_lanes(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes,
                    enum stats_direction direction)
{
   if (wave->stats)
      traffic_count_each(wave, inst, access, bytes, direction);
}

#endif
