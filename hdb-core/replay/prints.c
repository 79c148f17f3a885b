/* SPDX-License-Identifier: MIT */
/* What shaders print comes through the ring that they had in the program. What was in there then has been told. */
#include <string.h>

#include "replay/private.h"

void
replay_forget_prints(struct replay *replay)
{
   hdb_device_set_prints(replay->device, &(struct hdb_memory){0});
}

void
replay_find_prints(struct replay *replay)
{
   const struct hdb_capture_info *info = replay->info;
   struct hdb_print_ring *ring = (void *)replay_map(replay, info->prints_va, sizeof(*ring));
   if (!ring || info->prints_size < sizeof(*ring))
      return;
   memset(ring->records, 0, sizeof(ring->records));
   ring->tail = ring->reserved = ring->head;
   hdb_device_set_prints(replay->device,
                         &(struct hdb_memory){.va = info->prints_va, .size = info->prints_size, .map = ring});
}
