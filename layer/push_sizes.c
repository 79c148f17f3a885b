/* SPDX-License-Identifier: MIT */
/*
 * How many bytes of push constants pipelines have, as the application's layouts say: drivers round that up. Of a
 * pipeline that is not known here (wrapped by a layer in between) theirs is taken.
 */
#include <stdlib.h>

#include "layer.h"

struct layer_push_size {
   uint64_t object; /* VkPipelineLayout, VkPipeline or VkShaderEXT */
   uint32_t size;
   UT_hash_handle hh;
};

static void
set(struct layer_push_size **table, uint64_t object, uint32_t size)
{
   struct layer_push_size *entry;
   HASH_FIND(hh, *table, &object, sizeof(object), entry);
   if (!entry && (entry = calloc(1, sizeof(*entry)))) {
      entry->object = object;
      HASH_ADD(hh, *table, object, sizeof(object), entry);
      if (!entry->hh.tbl) {
         free(entry);
         return;
      }
   }
   if (entry)
      entry->size = size;
}

static void
drop(struct layer_push_size **table, struct layer_push_size *entry)
{
   HASH_DEL(*table, entry);
   free(entry);
}

static void
forget(struct layer_device *device, struct layer_push_size **table, uint64_t object)
{
   struct layer_push_size *entry;
   pthread_mutex_lock(&device->lock);
   HASH_FIND(hh, *table, &object, sizeof(object), entry);
   if (entry)
      drop(table, entry);
   pthread_mutex_unlock(&device->lock);
}

static void
note(struct layer_device *device, struct layer_push_size **table, uint64_t object, uint32_t count,
     const VkPushConstantRange *ranges)
{
   uint32_t size = 0;
   for (uint32_t i = 0; i < count; i++) {
      if (ranges[i].offset + ranges[i].size > size)
         size = ranges[i].offset + ranges[i].size;
   }
   pthread_mutex_lock(&device->lock);
   set(table, object, size);
   pthread_mutex_unlock(&device->lock);
}

void
layer_push_size_of_layout(struct layer_device *device, VkPipelineLayout layout, const VkPipelineLayoutCreateInfo *info)
{
   note(device, &device->layout_sizes, (uint64_t)layout, info->pushConstantRangeCount, info->pPushConstantRanges);
}

void
layer_push_size_of_shader(struct layer_device *device, VkShaderEXT shader, const VkShaderCreateInfoEXT *info)
{
   note(device, &device->push_sizes, (uint64_t)shader, info->pushConstantRangeCount, info->pPushConstantRanges);
}

void
layer_push_size_of_pipeline(struct layer_device *device, VkPipeline pipeline, VkPipelineLayout layout)
{
   const uint64_t object = (uint64_t)layout;
   struct layer_push_size *of_layout;
   pthread_mutex_lock(&device->lock);
   HASH_FIND(hh, device->layout_sizes, &object, sizeof(object), of_layout);
   if (of_layout)
      set(&device->push_sizes, (uint64_t)pipeline, of_layout->size);
   pthread_mutex_unlock(&device->lock);
}

void
layer_push_size_forget_layout(struct layer_device *device, VkPipelineLayout layout)
{
   forget(device, &device->layout_sizes, (uint64_t)layout);
}

void
layer_push_size_forget(struct layer_device *device, uint64_t object)
{
   forget(device, &device->push_sizes, object);
}

void
layer_push_size_cut(struct layer_device *device, struct hdb_dispatch *record)
{
   struct layer_push_size *entry;
   HASH_FIND(hh, device->push_sizes, &record->pipeline, sizeof(record->pipeline), entry);
   if (entry && entry->size < record->push_constant_size)
      record->push_constant_size = entry->size;
}

void
layer_push_sizes_finish(struct layer_device *device)
{
   struct layer_push_size *entry, *next;
   HASH_ITER (hh, device->layout_sizes, entry, next)
      drop(&device->layout_sizes, entry);
   HASH_ITER (hh, device->push_sizes, entry, next)
      drop(&device->push_sizes, entry);
}
