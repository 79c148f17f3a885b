/* SPDX-License-Identifier: MIT */
/* Dispatches noted by the layer itself, for devices whose driver keeps no records. They can be listed, no more. */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

static struct hdb_dispatch *
append(struct layer_command_buffer *commands)
{
   if (commands->dispatch_count == commands->dispatch_capacity) {
      uint32_t capacity = commands->dispatch_capacity ? 2 * commands->dispatch_capacity : 16;
      void *dispatches = realloc(commands->dispatches, capacity * sizeof(*commands->dispatches));
      if (!dispatches)
         return NULL;
      commands->dispatches = dispatches;
      commands->dispatch_capacity = capacity;
   }
   return &commands->dispatches[commands->dispatch_count++];
}

void
layer_recorder_bind(struct layer_device *device, VkCommandBuffer handle, VkPipeline pipeline)
{
   struct layer_command_buffer *commands = layer_command_buffer_find(device, handle);
   if (commands)
      commands->pipeline = pipeline;
}

void
layer_recorder_push(struct layer_device *device, VkCommandBuffer handle, uint32_t offset, uint32_t size,
                    const void *values)
{
   struct layer_command_buffer *commands = layer_command_buffer_find(device, handle);
   if (!commands || offset > HDB_MAX_PUSH_CONSTANTS || size > HDB_MAX_PUSH_CONSTANTS - offset)
      return;
   memcpy(commands->push_constants + offset, values, size);
   if (offset + size > commands->push_constant_size)
      commands->push_constant_size = offset + size;
}

void
layer_recorder_dispatch(struct layer_device *device, VkCommandBuffer handle, const uint32_t base[3],
                        const uint32_t grid[3], uint32_t flags)
{
   struct layer_command_buffer *commands = layer_command_buffer_find(device, handle);
   struct hdb_dispatch *dispatch = commands ? append(commands) : NULL;
   if (!dispatch)
      return;
   *dispatch = (struct hdb_dispatch){
      .shader_id = layer_stand_in_id(device, commands->pipeline),
      .pipeline = (uint64_t)commands->pipeline,
      .command_buffer = handle,
      .ordinal = commands->dispatch_count - 1,
      .flags = flags,
      .grid = {grid[0], grid[1], grid[2]},
      .base = {base[0], base[1], base[2]},
      .push_constant_size = commands->push_constant_size,
   };
   memcpy(dispatch->push_constants, commands->push_constants, sizeof(dispatch->push_constants));
}

void
layer_recorder_execute(struct layer_device *device, VkCommandBuffer handle, uint32_t count,
                       const VkCommandBuffer *secondaries)
{
   struct layer_command_buffer *commands = layer_command_buffer_find(device, handle);
   for (uint32_t i = 0; commands && i < count; i++) {
      const struct layer_command_buffer *secondary = layer_command_buffer_find(device, secondaries[i]);
      for (uint32_t k = 0; secondary && k < secondary->dispatch_count; k++) {
         struct hdb_dispatch *dispatch = append(commands);
         if (dispatch)
            *dispatch = secondary->dispatches[k];
      }
   }
}
