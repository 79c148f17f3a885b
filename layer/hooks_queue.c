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
begin_submission(struct layer_device *device, VkQueue queue, uint32_t number, VkCommandBuffer *commands, uint32_t count,
                 bool waits)
{
   struct layer_submission *submission = NULL;
   if (wants_submissions(device)) {
      submission = layer_submission_begin(device, queue, layer_frame_of(number), count, commands);
      if (submission)
         submission->waits = waits;
   } else { /* the debugger has gone, but what it armed may not be disarmed yet */
      for (uint32_t i = 0; i < count; i++)
         layer_submissions_settle(device, commands[i]);
   }
   free(commands);
   return submission;
}

static struct layer_submission *
begin_submit(struct layer_device *device, VkQueue queue, uint32_t number, uint32_t count, const VkSubmitInfo *submits)
{
   uint32_t total = 0, n = 0;
   bool waits = false;
   for (uint32_t i = 0; i < count; i++)
      total += submits[i].commandBufferCount;
   VkCommandBuffer *commands = calloc(total ? total : 1, sizeof(*commands));
   for (uint32_t i = 0; commands && i < count; i++) {
      waits |= submits[i].waitSemaphoreCount;
      for (uint32_t k = 0; k < submits[i].commandBufferCount; k++)
         commands[n++] = submits[i].pCommandBuffers[k];
   }
   return begin_submission(device, queue, number, commands, n, waits);
}

static struct layer_submission *
begin_submit2(struct layer_device *device, VkQueue queue, uint32_t number, uint32_t count, const VkSubmitInfo2 *submits)
{
   uint32_t total = 0, n = 0;
   bool waits = false;
   for (uint32_t i = 0; i < count; i++)
      total += submits[i].commandBufferInfoCount;
   VkCommandBuffer *commands = calloc(total ? total : 1, sizeof(*commands));
   for (uint32_t i = 0; commands && i < count; i++) {
      waits |= submits[i].waitSemaphoreInfoCount;
      for (uint32_t k = 0; k < submits[i].commandBufferInfoCount; k++)
         commands[n++] = submits[i].pCommandBufferInfos[k].commandBuffer;
   }
   return begin_submission(device, queue, number, commands, n, waits);
}

/* ---- frames ---- */

/* VK_EXT_frame_boundary is for tools: hardly a driver has it, and the layer offers it where none does. */
VKAPI_ATTR void VKAPI_CALL
layer_GetPhysicalDeviceFeatures2(VkPhysicalDevice physical_device, VkPhysicalDeviceFeatures2 *features)
{
   layer_instance_of(physical_device)->next.GetPhysicalDeviceFeatures2(physical_device, features);
   for (VkBaseOutStructure *next = features->pNext; next && !layer_inert; next = next->pNext) {
      if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAME_BOUNDARY_FEATURES_EXT)
         ((VkPhysicalDeviceFrameBoundaryFeaturesEXT *)next)->frameBoundary = VK_TRUE;
   }
}

/* `next`: chained to a submission or a present. */
static bool
has_boundary(const struct layer_device *device, const void *next)
{
   for (const VkBaseInStructure *structure = next; device->frame_boundaries && structure;
        structure = structure->pNext) {
      if (structure->sType == VK_STRUCTURE_TYPE_FRAME_BOUNDARY_EXT)
         return ((const VkFrameBoundaryEXT *)structure)->flags & VK_FRAME_BOUNDARY_FRAME_END_BIT_EXT;
   }
   return false;
}

/* Whether the application has a way to say so in a submission. */
static bool
may_mark_frames(const struct layer_device *device)
{
   return device->frame_boundaries || atomic_load_explicit(&layer_frames.markers, memory_order_relaxed);
}

static bool
ends_frame(struct layer_device *device, uint32_t count, const VkSubmitInfo *submits)
{
   bool ends = false;
   for (uint32_t i = 0; i < count && !ends && may_mark_frames(device); i++) {
      ends = has_boundary(device, submits[i].pNext);
      for (uint32_t k = 0; k < submits[i].commandBufferCount && !ends; k++)
         ends = layer_frame_has_marker(device, submits[i].pCommandBuffers[k]);
   }
   return ends;
}

static bool
ends_frame2(struct layer_device *device, uint32_t count, const VkSubmitInfo2 *submits)
{
   bool ends = false;
   for (uint32_t i = 0; i < count && !ends && may_mark_frames(device); i++) {
      ends = has_boundary(device, submits[i].pNext);
      for (uint32_t k = 0; k < submits[i].commandBufferInfoCount && !ends; k++)
         ends = layer_frame_has_marker(device, submits[i].pCommandBufferInfos[k].commandBuffer);
   }
   return ends;
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *info)
{
   struct layer_device *device = layer_device_of(queue);
   bool marked = has_boundary(device, info->pNext);
   VkResult result = device->next.QueuePresentKHR(queue, info);
   layer_frames_end(marked ? LAYER_FRAME_MARKED : LAYER_FRAME_PRESENT);
   layer_keys_poll();
   return result;
}

/* ---- submissions ---- */

VKAPI_ATTR VkResult VKAPI_CALL
layer_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
   struct layer_device *device = layer_device_of(queue);
   uint32_t number = layer_frames_begin_submission();
   bool watched = is_of_interest(device);
   if (layer_prints_exist(device) && !layer_inert)
      layer_prints_expect(device);
   struct layer_submission *submission = watched ? begin_submit(device, queue, number, count, submits) : NULL;
   VkResult result = device->next.QueueSubmit(queue, count, submits, fence);
   if (submission)
      layer_submission_end(submission, result);
   if (watched || may_mark_frames(device))
      layer_frames_end_submission(number, ends_frame(device, count, submits));
   return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits, VkFence fence)
{
   struct layer_device *device = layer_device_of(queue);
   uint32_t number = layer_frames_begin_submission();
   bool watched = is_of_interest(device);
   if (layer_prints_exist(device) && !layer_inert)
      layer_prints_expect(device);
   struct layer_submission *submission = watched ? begin_submit2(device, queue, number, count, submits) : NULL;
   VkResult result = device->next.QueueSubmit2(queue, count, submits, fence);
   if (submission)
      layer_submission_end(submission, result);
   if (watched || may_mark_frames(device))
      layer_frames_end_submission(number, ends_frame2(device, count, submits));
   return result;
}
