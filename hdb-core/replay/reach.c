/* SPDX-License-Identifier: MIT */
/* The memory that a dispatch is known to reach: what its descriptors are about. What it gets at by addresses is not. */
#include <stdlib.h>

#include "array.h"
#include "replay/private.h"

/* An image's size in memory is the virtual GPU's business; it has at least a byte a texel. */
static uint64_t
size_of(const struct hdb_resource *resource)
{
   uint64_t texels = (uint64_t)resource->width * resource->height;
   uint32_t depth = resource->depth ?: 1, layers = resource->layers ?: 1;
   switch (resource->kind) {
   case HDB_RESOURCE_BUFFER:
   case HDB_RESOURCE_TEXEL_BUFFER:
      return resource->size;
   case HDB_RESOURCE_IMAGE:
      return texels * depth * layers;
   default:
      return 0;
   }
}

void
replay_find_reach(struct replay *replay, const struct hdb_capture_dispatch *dispatch)
{
   struct hdb_resource_list list = {0};
   replay_forget_reach(replay);
   if (hdb_device_list_resources(replay->device, &dispatch->record, &list))
      return;
   for (uint32_t i = 0; i < list.count; i++) {
      uint64_t size = size_of(&list.resources[i]);
      struct replay_reach *reach = size ? array_append(replay->reach, replay->reach_count) : NULL;
      if (reach)
         *reach = (struct replay_reach){.va = list.resources[i].address, .size = size};
   }
   hdb_resource_list_finish(&list);
}

bool
replay_reaches(const struct replay *replay, uint64_t va)
{
   for (size_t i = 0; i < replay->reach_count; i++) {
      if (va - replay->reach[i].va < replay->reach[i].size)
         return true;
   }
   return false;
}

void
replay_forget_reach(struct replay *replay)
{
   free(replay->reach);
   replay->reach = NULL;
   replay->reach_count = 0;
}
