/* SPDX-License-Identifier: MIT */
/* What a submission is about to run: the records of its command buffers, with the names that the application gave. */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

/* Places a copy of `text` among the names. They may move until all are there: an offset stands in for the pointer. */
static const char *
add_text(struct layer_offers *offers, const char *text)
{
   if (!text)
      return NULL;
   size_t size = strlen(text) + 1;
   if (offers->text_size + size > offers->text_capacity) {
      size_t capacity = 2 * offers->text_capacity + size + 1024;
      char *grown = realloc(offers->text, capacity);
      if (!grown) {
         offers->failed = true;
         return NULL;
      }
      offers->text = grown;
      offers->text_capacity = capacity;
   }
   memcpy(offers->text + offers->text_size, text, size);
   offers->text_size += size;
   return (const char *)(uintptr_t)(offers->text_size - size + 1);
}

static const char *
seal_text(const struct layer_offers *offers, const char *offset)
{
   return offset ? offers->text + ((uintptr_t)offset - 1) : NULL;
}

static uint32_t
copy_records(struct layer_device *device, const struct layer_command_buffer *commands, VkCommandBuffer handle,
             struct hdb_dispatch *records, uint32_t capacity)
{
   if (device->driver)
      return device->driver->get_dispatches(device->driver, handle, records, capacity);
   uint32_t count = commands ? commands->dispatch_count : 0;
   if (capacity)
      memcpy(records, commands->dispatches, (count < capacity ? count : capacity) * sizeof(*records));
   return count;
}

static bool
reserve(struct layer_offers *offers, size_t more)
{
   if (offers->count + more <= offers->capacity)
      return true;
   size_t capacity = 2 * offers->capacity + more;
   void *grown = realloc(offers->offers, capacity * sizeof(*offers->offers));
   if (!grown) {
      offers->failed = true;
      return false;
   }
   offers->offers = grown;
   offers->capacity = capacity;
   return true;
}

/* The labels around a dispatch: the queue's, within them its primary command buffer's, then its own command buffer's.
 */
struct labels {
   struct layer_device *device;
   struct layer_queue *queue;
   struct layer_label_cursor primary, secondary;
   uint32_t last_ordinal; /* of the secondary */
};

/* Moves to `record`; whether it stands in a secondary command buffer. */
static bool
move_labels(struct labels *labels, VkCommandBuffer primary, const struct hdb_dispatch *record, uint32_t position)
{
   struct layer_label_cursor *cursor = &labels->secondary;
   layer_label_cursor_move(&labels->primary, position);
   if (!record->command_buffer || record->command_buffer == primary)
      return false;
   bool same =
      cursor->commands && cursor->commands->handle == record->command_buffer && record->ordinal > labels->last_ordinal;
   if (!same) { /* another one, or the same executed again */
      layer_label_cursor_finish(cursor);
      layer_label_cursor_init(cursor, layer_command_buffer_find(labels->device, record->command_buffer));
   }
   labels->last_ordinal = record->ordinal;
   layer_label_cursor_move(cursor, record->ordinal);
   return true;
}

static void
add_labels(struct layer_offers *offers, struct hdb_offer *offer, const char *const *labels, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      offer->label = add_text(offers, labels[i]);
      if (!offer->label_count)
         offer->labels = offer->label; /* the others lie behind it */
      offer->label_count += offer->label != NULL;
   }
}

static void
add_all_labels(struct layer_offers *offers, struct hdb_offer *offer, const struct labels *labels, bool secondary)
{
   const struct layer_queue *queue = labels->queue;
   add_labels(offers, offer, (const char *const *)queue->labels, queue->label_depth);
   add_labels(offers, offer, labels->primary.stack, labels->primary.depth);
   if (secondary)
      add_labels(offers, offer, labels->secondary.stack, labels->secondary.depth);
}

void
layer_offers_add(struct layer_offers *offers, struct layer_device *device, struct layer_queue *queue,
                 VkCommandBuffer handle)
{
   const struct layer_command_buffer *commands = layer_command_buffer_find(device, handle);
   uint32_t count = copy_records(device, commands, handle, NULL, 0);
   struct hdb_dispatch *records = calloc(count ? count : 1, sizeof(*records));
   if (!records || !reserve(offers, count)) {
      free(records);
      offers->failed = true;
      return;
   }
   count = copy_records(device, commands, handle, records, count);

   struct labels labels = {.device = device, .queue = queue};
   layer_label_cursor_init(&labels.primary, commands);
   for (uint32_t i = 0; i < count; i++) {
      struct hdb_offer *offer = &offers->offers[offers->count++];
      bool secondary = move_labels(&labels, handle, &records[i], i);
      *offer = (struct hdb_offer){.record = records[i], .frame = offers->frame};
      add_all_labels(offers, offer, &labels, secondary);
      pthread_mutex_lock(&device->lock);
      layer_push_size_cut(device, &offer->record);
      const char *queue_name = layer_name_find(device, (uint64_t)(uintptr_t)queue->handle);
      offer->pipeline_name = add_text(offers, layer_name_find(device, records[i].pipeline));
      offer->queue_name = add_text(offers, queue_name ? queue_name : queue->name);
      pthread_mutex_unlock(&device->lock);
   }
   layer_label_cursor_finish(&labels.primary);
   layer_label_cursor_finish(&labels.secondary);
   free(records);
}

void
layer_offers_seal(struct layer_offers *offers)
{
   for (size_t i = 0; i < offers->count; i++) {
      struct hdb_offer *offer = &offers->offers[i];
      offer->label = seal_text(offers, offer->label);
      offer->labels = seal_text(offers, offer->labels);
      offer->pipeline_name = seal_text(offers, offer->pipeline_name);
      offer->queue_name = seal_text(offers, offer->queue_name);
   }
}

void
layer_offers_finish(struct layer_offers *offers)
{
   free(offers->offers);
   free(offers->text);
   *offers = (struct layer_offers){0};
}
