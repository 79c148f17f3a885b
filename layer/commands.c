/* SPDX-License-Identifier: MIT */
/* The layer's notes of command buffers: the labels set in them and, without a driver to ask, their dispatches. */
#include <stdlib.h>

#include "layer.h"

struct layer_command_buffer *
layer_command_buffer_find(struct layer_device *device, VkCommandBuffer handle)
{
   struct layer_command_buffer *commands;
   pthread_mutex_lock(&device->lock);
   HASH_FIND_PTR(device->command_buffers, &handle, commands);
   pthread_mutex_unlock(&device->lock);
   return commands;
}

void
layer_command_buffer_add(struct layer_device *device, VkCommandPool pool, VkCommandBuffer handle)
{
   struct layer_command_buffer *commands = calloc(1, sizeof(*commands));
   if (!commands)
      return;
   commands->handle = handle;
   commands->pool = pool;
   pthread_mutex_lock(&device->lock);
   HASH_ADD_PTR(device->command_buffers, handle, commands);
   if (!commands->hh.tbl)
      free(commands);
   pthread_mutex_unlock(&device->lock);
}

void
layer_command_buffer_reset(struct layer_command_buffer *commands)
{
   for (uint32_t i = 0; i < commands->event_count; i++)
      free(commands->events[i].name);
   commands->event_count = 0;
   commands->dispatch_count = 0;
   commands->pipeline = VK_NULL_HANDLE;
   commands->ends_frame = false;
   commands->push_constant_size = 0;
}

static void
drop(struct layer_device *device, struct layer_command_buffer *commands)
{
   HASH_DEL(device->command_buffers, commands);
   layer_command_buffer_reset(commands);
   free(commands->events);
   free(commands->dispatches);
   free(commands);
}

void
layer_command_buffer_remove(struct layer_device *device, VkCommandBuffer handle)
{
   struct layer_command_buffer *commands;
   pthread_mutex_lock(&device->lock);
   HASH_FIND_PTR(device->command_buffers, &handle, commands);
   if (commands)
      drop(device, commands);
   pthread_mutex_unlock(&device->lock);
}

void
layer_command_pool_remove(struct layer_device *device, VkCommandPool pool)
{
   struct layer_command_buffer *commands, *next;
   pthread_mutex_lock(&device->lock);
   HASH_ITER (hh, device->command_buffers, commands, next) {
      if (commands->pool == pool)
         drop(device, commands);
   }
   pthread_mutex_unlock(&device->lock);
}

void
layer_command_buffers_finish(struct layer_device *device)
{
   struct layer_command_buffer *commands, *next;
   HASH_ITER (hh, device->command_buffers, commands, next)
      drop(device, commands);
}
