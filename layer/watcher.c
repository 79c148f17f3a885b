/* SPDX-License-Identifier: MIT */
/*
 * One thread for each queue that something was submitted to while debugging: it waits for the fences that the layer put
 * behind the submissions and tells the engine. A queue finishes its submissions in order, so waiting for the oldest is
 * waiting for the next.
 */

#include "layer.h"
#include "thread.h"

#define STACK_SIZE (256 * 1024)
#define WAIT_SLICE_NS (1000 * 1000 * 1000ull)
#define STOPPING_SLICES 5 /* how long vkDestroyDevice waits for a GPU that does not come back */

static bool
is_stopping(struct layer_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   bool stopping = queue->stopping;
   pthread_mutex_unlock(&queue->lock);
   return stopping;
}

static struct layer_submission *
take_first(struct layer_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   while (!queue->first && !queue->stopping)
      pthread_cond_wait(&queue->wake, &queue->lock);
   struct layer_submission *submission = queue->first;
   if (submission)
      queue->first = submission->next_watched;
   if (!queue->first)
      queue->last = NULL;
   pthread_mutex_unlock(&queue->lock);
   return submission;
}

static void *
watch(void *user)
{
   struct layer_queue *queue = user;
   struct layer_device *device = queue->device;
   struct layer_submission *submission;
   int slices = 0;
   while ((submission = take_first(queue))) {
      VkResult result;
      do {
         result = device->next.WaitForFences(device->handle, 1, &submission->fence, VK_TRUE, WAIT_SLICE_NS);
         if (is_stopping(queue))
            slices++;
      } while (result == VK_TIMEOUT && slices < STOPPING_SLICES);
      if (result == VK_TIMEOUT)
         submission->fence = VK_NULL_HANDLE; /* still in use: goes with the device */
      layer_submission_complete(submission, result == VK_SUCCESS ? VK_SUCCESS : VK_ERROR_DEVICE_LOST);
   }
   return NULL;
}

int
layer_watcher_start(struct layer_queue *queue)
{
   if (queue->has_thread)
      return 0;
   int result = hdb_thread_start(&queue->thread, "hdb-queue", STACK_SIZE, watch, queue);
   queue->has_thread = !result;
   return result;
}

void
layer_watcher_add(struct layer_queue *queue, struct layer_submission *submission)
{
   submission->next_watched = NULL;
   pthread_mutex_lock(&queue->lock);
   if (queue->last)
      queue->last->next_watched = submission;
   else
      queue->first = submission;
   queue->last = submission;
   pthread_cond_signal(&queue->wake);
   pthread_mutex_unlock(&queue->lock);
}

void
layer_watcher_stop(struct layer_queue *queue)
{
   if (!queue->has_thread)
      return;
   pthread_mutex_lock(&queue->lock);
   queue->stopping = true;
   pthread_cond_signal(&queue->wake);
   pthread_mutex_unlock(&queue->lock);
   pthread_join(queue->thread, NULL);
   queue->has_thread = false;
}
