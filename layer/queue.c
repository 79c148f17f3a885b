/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

struct layer_queue *
layer_queue_find(struct layer_device *device, VkQueue handle)
{
   struct layer_queue *queue;
   pthread_mutex_lock(&device->lock);
   for (queue = device->queues; queue && queue->handle != handle; queue = queue->next)
      continue;
   pthread_mutex_unlock(&device->lock);
   return queue;
}

void
layer_queue_add(struct layer_device *device, VkQueue handle, uint32_t family, uint32_t index)
{
   if (!handle || layer_queue_find(device, handle))
      return;
   struct layer_queue *queue = calloc(1, sizeof(*queue));
   if (!queue)
      return;
   queue->device = device;
   queue->handle = handle;
   snprintf(queue->name, sizeof(queue->name), "queue %u.%u", family, index);
   pthread_mutex_init(&queue->lock, NULL);
   pthread_cond_init(&queue->wake, NULL);
   pthread_mutex_lock(&device->lock);
   queue->next = device->queues;
   device->queues = queue;
   pthread_mutex_unlock(&device->lock);
}

void
layer_queue_begin_label(struct layer_queue *queue, const char *name)
{
   if (queue->label_depth == queue->label_capacity) {
      uint32_t capacity = queue->label_capacity ? 2 * queue->label_capacity : 8;
      void *labels = realloc(queue->labels, capacity * sizeof(*queue->labels));
      if (!labels)
         return;
      queue->labels = labels;
      queue->label_capacity = capacity;
   }
   char *copy = strdup(name ? name : "");
   if (copy)
      queue->labels[queue->label_depth++] = copy;
}

void
layer_queue_end_label(struct layer_queue *queue)
{
   if (queue->label_depth)
      free(queue->labels[--queue->label_depth]);
}

void
layer_queues_finish(struct layer_device *device)
{
   struct layer_queue *next;
   for (struct layer_queue *queue = device->queues; queue; queue = next) {
      next = queue->next;
      layer_watcher_stop(queue);
      while (queue->label_depth)
         layer_queue_end_label(queue);
      free(queue->labels);
      pthread_cond_destroy(&queue->wake);
      pthread_mutex_destroy(&queue->lock);
      free(queue);
   }
   device->queues = NULL;
}
