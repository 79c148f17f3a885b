/* SPDX-License-Identifier: MIT */
/* Command buffers: their labels, and their dispatches where no driver keeps records: commands.c, labels.c, recorder.c.
 * Part of layer.h. */
#ifndef LAYER_COMMANDS_H
#define LAYER_COMMANDS_H

#include <vulkan/vulkan.h>

#include "hdb/hdb_driver.h"
#include "table.h"

struct layer_device;

struct layer_label_event {
   uint32_t position; /* number of dispatches recorded before it */
   char *name;        /* NULL: end of the innermost label */
};

struct layer_command_buffer {
   VkCommandBuffer handle;
   VkCommandPool pool;

   struct layer_label_event *events;
   uint32_t event_count, event_capacity;
   bool ends_frame; /* a marker in it says so */

   /* Only without a driver, whose records are better. */
   VkPipeline pipeline;
   uint32_t push_constant_size;
   uint8_t push_constants[HDB_MAX_PUSH_CONSTANTS];
   struct hdb_dispatch *dispatches;
   uint32_t dispatch_count, dispatch_capacity;

   UT_hash_handle hh;
};

/* NULL: not seen. The result belongs to whoever may use the command buffer. */
struct layer_command_buffer *layer_command_buffer_find(struct layer_device *device, VkCommandBuffer handle);
void layer_command_buffer_add(struct layer_device *device, VkCommandPool pool, VkCommandBuffer handle);
void layer_command_buffer_reset(struct layer_command_buffer *commands);
void layer_command_buffer_remove(struct layer_device *device, VkCommandBuffer handle);
void layer_command_pool_remove(struct layer_device *device, VkCommandPool pool);
void layer_command_buffers_finish(struct layer_device *device);

/* Labels in force at the n-th dispatch, followed while n grows. */
struct layer_label_cursor {
   const struct layer_command_buffer *commands; /* NULL: none */
   uint32_t next_event;
   const char **stack; /* the innermost last */
   uint32_t depth, capacity;
};

void layer_label_begin(struct layer_device *device, VkCommandBuffer commands, const char *name);
void layer_label_end(struct layer_device *device, VkCommandBuffer commands);
void layer_label_cursor_init(struct layer_label_cursor *cursor, const struct layer_command_buffer *commands);
void layer_label_cursor_move(struct layer_label_cursor *cursor, uint32_t position);
void layer_label_cursor_finish(struct layer_label_cursor *cursor);

void layer_recorder_bind(struct layer_device *device, VkCommandBuffer commands, VkPipeline pipeline);
void layer_recorder_push(struct layer_device *device, VkCommandBuffer commands, uint32_t offset, uint32_t size,
                         const void *values);
void layer_recorder_dispatch(struct layer_device *device, VkCommandBuffer commands, const uint32_t base[3],
                             const uint32_t grid[3], uint32_t flags);
void layer_recorder_execute(struct layer_device *device, VkCommandBuffer commands, uint32_t count,
                            const VkCommandBuffer *secondaries);

#endif
