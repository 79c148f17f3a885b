/* SPDX-License-Identifier: MIT */
/* Debug-utils labels in command buffers, and which of them are in force at a dispatch. */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

/* How many dispatches stand in the command buffer by now; called by the thread that records it. */
static uint32_t
recorded_dispatches(const struct layer_device *device, const struct layer_command_buffer *commands)
{
   if (device->driver)
      return device->driver->get_dispatches(device->driver, commands->handle, NULL, 0);
   return commands->dispatch_count;
}

static void
add_event(struct layer_device *device, VkCommandBuffer handle, char *name)
{
   struct layer_command_buffer *commands = layer_command_buffer_find(device, handle);
   if (!commands)
      goto fail;
   if (commands->event_count == commands->event_capacity) {
      uint32_t capacity = commands->event_capacity ? 2 * commands->event_capacity : 16;
      void *events = realloc(commands->events, capacity * sizeof(*commands->events));
      if (!events)
         goto fail;
      commands->events = events;
      commands->event_capacity = capacity;
   }
   commands->events[commands->event_count++] = (struct layer_label_event){
      .position = recorded_dispatches(device, commands),
      .name = name,
   };
   return;
fail:
   free(name);
}

void
layer_label_begin(struct layer_device *device, VkCommandBuffer commands, const char *name)
{
   char *copy = strdup(name ? name : "");
   if (copy)
      add_event(device, commands, copy);
}

void
layer_label_end(struct layer_device *device, VkCommandBuffer commands)
{
   add_event(device, commands, NULL);
}

void
layer_label_cursor_init(struct layer_label_cursor *cursor, const struct layer_command_buffer *commands)
{
   *cursor = (struct layer_label_cursor){.commands = commands};
}

static void
push(struct layer_label_cursor *cursor, const char *name)
{
   if (cursor->depth == cursor->capacity) {
      uint32_t capacity = cursor->capacity ? 2 * cursor->capacity : 8;
      void *stack = realloc(cursor->stack, capacity * sizeof(*cursor->stack));
      if (!stack)
         return;
      cursor->stack = stack;
      cursor->capacity = capacity;
   }
   cursor->stack[cursor->depth++] = name;
}

void
layer_label_cursor_move(struct layer_label_cursor *cursor, uint32_t position)
{
   uint32_t count = cursor->commands ? cursor->commands->event_count : 0;
   for (; cursor->next_event < count; cursor->next_event++) {
      const struct layer_label_event *event = &cursor->commands->events[cursor->next_event];
      if (event->position > position)
         break;
      if (event->name)
         push(cursor, event->name);
      else if (cursor->depth) /* else it ends a label of an earlier command buffer */
         cursor->depth--;
   }
}

void
layer_label_cursor_finish(struct layer_label_cursor *cursor)
{
   free(cursor->stack);
}
