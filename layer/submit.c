/* SPDX-License-Identifier: MIT */
/*
 * A submission while a debugger is there: pull the records of what is about to run, let the engine decide (here, with
 * no lock held, the application may wait for the user), submit, and put a fence of our own behind it, so that what was
 * armed is disarmed when the GPU is done and not before.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "layer.h"

#define CATCH_UP_NS (20 * 1000 * 1000)
#define CAPTURE_S 10
#define SETTLE_NS (900 * 1000 * 1000) /* only what still runs takes longer, and may not be freed */

static void
add_command_buffer(struct layer_submission *submission, const void *commands)
{
   size_t count = submission->command_buffer_count;
   if (!count || submission->command_buffers[count - 1] != commands)
      submission->command_buffers[submission->command_buffer_count++] = commands;
}

static bool
holds(const struct layer_submission *submission, const void *commands)
{
   for (size_t i = 0; i < submission->command_buffer_count; i++) {
      if (submission->command_buffers[i] == commands)
         return true;
   }
   return false;
}

static bool
is_pending(const struct layer_device *device, const void *commands)
{
   for (const struct layer_submission *other = device->pending; other; other = other->next_pending) {
      if (holds(other, commands))
         return true;
   }
   return false;
}

static bool
any_pending(const struct layer_device *device, const struct layer_submission *submission)
{
   for (size_t i = 0; i < submission->command_buffer_count; i++) {
      if (is_pending(device, submission->command_buffers[i]))
         return true;
   }
   return false;
}

static struct timespec
make_deadline(long ns)
{
   struct timespec deadline;
   clock_gettime(CLOCK_MONOTONIC, &deadline);
   deadline.tv_nsec += ns;
   if (deadline.tv_nsec >= 1000 * 1000 * 1000) {
      deadline.tv_nsec -= 1000 * 1000 * 1000;
      deadline.tv_sec++;
   }
   return deadline;
}

/* A command buffer that was waited for may be submitted again before the watcher has seen its own fence. */
static void
let_watchers_catch_up(struct layer_device *device, const struct layer_submission *submission)
{
   struct timespec deadline = make_deadline(CATCH_UP_NS);
   while (any_pending(device, submission) &&
          pthread_cond_timedwait(&device->retired, &device->lock, &deadline) != ETIMEDOUT)
      continue;
}

void
layer_submissions_catch_up(struct layer_device *device)
{
   pthread_mutex_lock(&device->lock);
   struct timespec deadline = make_deadline(CATCH_UP_NS);
   while (device->pending && pthread_cond_timedwait(&device->retired, &device->lock, &deadline) != ETIMEDOUT)
      continue;
   pthread_mutex_unlock(&device->lock);
}

/* False: it is still pending. */
static bool
settle(struct layer_device *device, VkCommandBuffer commands)
{
   bool pending = false;
   pthread_mutex_lock(&device->lock);
   if (device->pending) {
      struct timespec deadline = make_deadline(SETTLE_NS);
      while ((pending = is_pending(device, commands)) &&
             pthread_cond_timedwait(&device->retired, &device->lock, &deadline) != ETIMEDOUT)
         continue;
   }
   pthread_mutex_unlock(&device->lock);
   return !pending;
}

void
layer_submissions_settle(struct layer_device *device, VkCommandBuffer commands)
{
   settle(device, commands);
}

/* ---- what is not allowed ---- */

static void
forget(struct layer_device *device, VkCommandBuffer commands)
{
   pthread_rwlock_rdlock(&device->core_lock);
   if (device->core)
      hdb_device_forget_commands(device->core, commands);
   pthread_rwlock_unlock(&device->core_lock);
}

void
layer_submissions_release(struct layer_device *device, VkCommandBuffer commands)
{
   if (!settle(device, commands))
      forget(device, commands);
}

/* Those of the pool's command buffers; their number. */
static uint32_t
list_pending(struct layer_device *device, VkCommandPool pool, VkCommandBuffer *list, uint32_t capacity)
{
   struct layer_command_buffer *commands, *next;
   uint32_t count = 0;
   HASH_ITER (hh, device->command_buffers, commands, next) {
      if (commands->pool != pool || !is_pending(device, commands->handle))
         continue;
      if (count < capacity)
         list[count] = commands->handle;
      count++;
   }
   return count;
}

void
layer_submissions_release_pool(struct layer_device *device, VkCommandPool pool)
{
   VkCommandBuffer *list = NULL;
   uint32_t count = 0;
   pthread_mutex_lock(&device->lock);
   if (device->pending) {
      struct timespec deadline = make_deadline(SETTLE_NS);
      while ((count = list_pending(device, pool, NULL, 0)) &&
             pthread_cond_timedwait(&device->retired, &device->lock, &deadline) != ETIMEDOUT)
         continue;
      list = count ? calloc(count, sizeof(*list)) : NULL;
      count = list ? list_pending(device, pool, list, count) : 0;
   }
   pthread_mutex_unlock(&device->lock);
   for (uint32_t i = 0; i < count; i++)
      forget(device, list[i]);
   free(list);
}

static bool
generated_is_pending(const struct layer_device *device)
{
   for (const struct layer_submission *other = device->pending; other; other = other->next_pending) {
      if (other->generated)
         return true;
   }
   return false;
}

void
layer_submissions_settle_generated(struct layer_device *device)
{
   pthread_mutex_lock(&device->lock);
   if (device->pending) {
      struct timespec deadline = make_deadline(SETTLE_NS);
      while (generated_is_pending(device) &&
             pthread_cond_timedwait(&device->retired, &device->lock, &deadline) != ETIMEDOUT)
         continue;
   }
   pthread_mutex_unlock(&device->lock);
}

/* Marks the offers that some submission which the GPU has not finished holds too, and makes this submission one of
 * those. Both at once, so that of two threads with one command buffer only one arms it. */
static void
mark_pending(struct layer_device *device, struct layer_submission *submission, struct layer_offers *offers)
{
   pthread_mutex_lock(&device->lock);
   let_watchers_catch_up(device, submission);
   for (size_t i = 0; i < offers->count; i++)
      offers->offers[i].armed_elsewhere |= is_pending(device, offers->offers[i].record.command_buffer);
   submission->number = ++device->submission_count;
   submission->next_pending = device->pending;
   device->pending = submission;
   pthread_mutex_unlock(&device->lock);
}

/* Dispatches of a command buffer that stands twice in this submission are marked the second time. */
static void
gather(struct layer_device *device, struct layer_submission *submission, struct layer_offers *offers, uint32_t count,
       const VkCommandBuffer *command_buffers)
{
   for (uint32_t i = 0; i < count; i++) {
      size_t first = offers->count;
      bool again = false;
      for (uint32_t k = 0; k < i; k++)
         again |= command_buffers[k] == command_buffers[i];
      layer_offers_add(offers, device, submission->queue, command_buffers[i]);
      for (size_t k = first; k < offers->count; k++)
         offers->offers[k].armed_elsewhere = again;
   }
   layer_offers_seal(offers);
   submission->command_buffers = calloc(count + offers->count + 1, sizeof(*submission->command_buffers));
   if (!submission->command_buffers)
      return;
   for (uint32_t i = 0; i < count; i++)
      add_command_buffer(submission, command_buffers[i]);
   for (size_t i = 0; i < offers->count; i++) {
      add_command_buffer(submission, offers->offers[i].record.command_buffer);
      submission->generated |= offers->offers[i].record.flags & HDB_DISPATCH_GENERATED;
   }
}

static void
free_submission(struct layer_submission *submission)
{
   struct layer_device *device = submission->queue->device;
   if (submission->fence)
      device->next.DestroyFence(device->handle, submission->fence, NULL);
   free(submission->command_buffers);
   free(submission);
}

struct layer_submission *
layer_submission_begin(struct layer_device *device, VkQueue handle, uint32_t frame, uint32_t count,
                       const VkCommandBuffer *command_buffers)
{
   struct layer_queue *queue = layer_queue_find(device, handle);
   struct layer_submission *submission = queue ? calloc(1, sizeof(*submission)) : NULL;
   if (!submission)
      return NULL;
   struct layer_offers offers = {.frame = frame};
   submission->queue = queue;
   gather(device, submission, &offers, count, command_buffers);

   /* Without a fence and someone waiting for it, nothing could be disarmed again: then nothing is armed. */
   const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   bool ready = offers.count && !offers.failed && submission->command_buffers &&
                device->next.CreateFence(device->handle, &fence_info, NULL, &submission->fence) == VK_SUCCESS &&
                layer_watcher_start(queue) == 0;
   if (!ready) {
      free_submission(submission);
      layer_offers_finish(&offers);
      return NULL;
   }
   mark_pending(device, submission, &offers);
   layer_callbacks_offer(device, queue, &offers);
   submission->token = hdb_device_submit(device->core, offers.offers, offers.count);
   layer_offers_finish(&offers);
   return submission;
}

static bool
is_number_pending(const struct layer_device *device, uint64_t number)
{
   const struct layer_submission *other = device->pending;
   while (other && other->number != number)
      other = other->next_pending;
   return other;
}

/* While a capture is written, memory is to stay as a submission leaves it until that has been written, too: the
 * application's call returns only then. What waits for a semaphore may need the application to go on: not for long. So
 * may an event, which can't be seen. */
static void
let_capture_finish(struct layer_device *device, uint64_t number, bool waits)
{
   struct timespec deadline = make_deadline(SETTLE_NS);
   deadline.tv_sec += waits ? 0 : CAPTURE_S;
   pthread_mutex_lock(&device->lock);
   while (is_number_pending(device, number) &&
          pthread_cond_timedwait(&device->retired, &device->lock, &deadline) != ETIMEDOUT)
      continue;
   pthread_mutex_unlock(&device->lock);
}

void
layer_submission_end(struct layer_submission *submission, VkResult result)
{
   struct layer_device *device = submission->queue->device;
   uint64_t number = submission->number;
   bool waits = submission->waits, captured = submission->token && hdb_device_captures(device->core);
   if (result == VK_SUCCESS)
      result = device->next.QueueSubmit(submission->queue->handle, 0, NULL, submission->fence);
   if (result == VK_SUCCESS)
      layer_watcher_add(submission->queue, submission);
   else /* it never began, or the device is lost */
      layer_submission_complete(submission, result);
   if (captured)
      let_capture_finish(device, number, waits);
}

void
layer_submission_complete(struct layer_submission *submission, VkResult result)
{
   enum hdb_outcome outcome = result == VK_SUCCESS             ? HDB_OUTCOME_FINISHED
                              : result == VK_ERROR_DEVICE_LOST ? HDB_OUTCOME_LOST
                                                               : HDB_OUTCOME_NOT_SUBMITTED;
   struct layer_device *device = submission->queue->device;
   pthread_rwlock_rdlock(&device->core_lock);
   if (submission->token && device->core)
      hdb_device_completed(device->core, submission->token, outcome);
   pthread_rwlock_unlock(&device->core_lock);

   pthread_mutex_lock(&device->lock);
   if (device->pending == submission) {
      device->pending = submission->next_pending;
   } else {
      struct layer_submission *previous = device->pending;
      while (previous->next_pending != submission)
         previous = previous->next_pending;
      previous->next_pending = submission->next_pending;
   }
   pthread_cond_broadcast(&device->retired);
   pthread_mutex_unlock(&device->lock);
   free_submission(submission);
}
