/* SPDX-License-Identifier: MIT */
/* Hooks: queues and what is submitted to them. */
#include <stdlib.h>

#include "hooks.h"

VKAPI_ATTR void VKAPI_CALL
layer_GetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index, VkQueue *queue)
{
   struct layer_device *device = layer_device_of(handle);
   device->next.GetDeviceQueue(handle, family, index, queue);
   if (!layer_inert)
      layer_queue_add(device, *queue, family, index);
}

VKAPI_ATTR void VKAPI_CALL
layer_GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2 *info, VkQueue *queue)
{
   struct layer_device *device = layer_device_of(handle);
   device->next.GetDeviceQueue2(handle, info, queue);
   if (!layer_inert)
      layer_queue_add(device, *queue, info->queueFamilyIndex, info->queueIndex);
}

static bool
wants_submissions(const struct layer_device *device)
{
   return device->core && hdb_device_wants_submissions(device->core);
}

/* Whether there is more to a submission than passing it on. */
static bool
is_of_interest(const struct layer_device *device)
{
   return !layer_inert && (device->pending || wants_submissions(device));
}

/* Before a submission of these command buffers, which it frees. NULL: nothing to wait for. */
static struct layer_submission *
begin_submission(struct layer_device *device, VkQueue queue, VkCommandBuffer *commands, uint32_t count)
{
   struct layer_submission *submission = NULL;
   if (wants_submissions(device)) {
      submission = layer_submission_begin(device, queue, count, commands);
   } else { /* the debugger has gone, but what it armed may not be disarmed yet */
      for (uint32_t i = 0; i < count; i++)
         layer_submissions_settle(device, commands[i]);
   }
   free(commands);
   return submission;
}

static struct layer_submission *
begin_submit(struct layer_device *device, VkQueue queue, uint32_t count, const VkSubmitInfo *submits)
{
   uint32_t total = 0, n = 0;
   if (!is_of_interest(device))
      return NULL;
   for (uint32_t i = 0; i < count; i++)
      total += submits[i].commandBufferCount;
   VkCommandBuffer *commands = calloc(total ? total : 1, sizeof(*commands));
   for (uint32_t i = 0; commands && i < count; i++) {
      for (uint32_t k = 0; k < submits[i].commandBufferCount; k++)
         commands[n++] = submits[i].pCommandBuffers[k];
   }
   return begin_submission(device, queue, commands, n);
}

static struct layer_submission *
begin_submit2(struct layer_device *device, VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits)
{
   uint32_t total = 0, n = 0;
   if (!is_of_interest(device))
      return NULL;
   for (uint32_t i = 0; i < count; i++)
      total += submits[i].commandBufferInfoCount;
   VkCommandBuffer *commands = calloc(total ? total : 1, sizeof(*commands));
   for (uint32_t i = 0; commands && i < count; i++) {
      for (uint32_t k = 0; k < submits[i].commandBufferInfoCount; k++)
         commands[n++] = submits[i].pCommandBufferInfos[k].commandBuffer;
   }
   return begin_submission(device, queue, commands, n);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
   struct layer_device *device = layer_device_of(queue);
   struct layer_submission *submission = begin_submit(device, queue, count, submits);
   VkResult result = device->next.QueueSubmit(queue, count, submits, fence);
   if (submission)
      layer_submission_end(submission, result);
   return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits, VkFence fence)
{
   struct layer_device *device = layer_device_of(queue);
   struct layer_submission *submission = begin_submit2(device, queue, count, submits);
   VkResult result = device->next.QueueSubmit2(queue, count, submits, fence);
   if (submission)
      layer_submission_end(submission, result);
   return result;
}
