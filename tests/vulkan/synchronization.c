/* SPDX-License-Identifier: MIT */
/* Events, timelines across queues, priorities of queues, and semaphores and fences as descriptors. */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "gpu.h"
#include "test.h"

enum { TIMEOUT_MS = 20000 };
static const uint64_t timeout_ns = TIMEOUT_MS * UINT64_C(1000000);

struct count_push {
   uint64_t counts;
   uint32_t weight;
};
enum { COUNT_INVOCATIONS = 32 }; /* of a workgroup of count.comp */

static void
submit(VkQueue queue, VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal, VkFence fence)
{
   const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
   const VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .waitSemaphoreCount = wait ? 1 : 0,
      .pWaitSemaphores = &wait,
      .pWaitDstStageMask = &stage,
      .commandBufferCount = commands ? 1 : 0,
      .pCommandBuffers = &commands,
      .signalSemaphoreCount = signal ? 1 : 0,
      .pSignalSemaphores = &signal,
   };
   CALL(vkQueueSubmit(queue, 1, &info, fence));
}

/* ---- events ---- */

static bool
events(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   const VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
   VkEvent from_host, from_device;
   CALL(vkCreateEvent(gpu.device, &info, NULL, &from_host));
   CALL(vkCreateEvent(gpu.device, &info, NULL, &from_device));
   CHECK(vkGetEventStatus(gpu.device, from_host) == VK_EVENT_RESET);

   struct buffer words;
   buffer_init(&gpu, &words, 16, 0);
   const VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
   };
   const VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdFillBuffer(commands, words.buffer, 0, 4, 1);
   vkCmdSetEvent(commands, from_device, VK_PIPELINE_STAGE_TRANSFER_BIT);
   vkCmdWaitEvents(commands, 1, &from_device, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 1,
                   &barrier, 0, NULL, 0, NULL);
   vkCmdWaitEvents(commands, 1, &from_host, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 1,
                   &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER}, 0, NULL, 0, NULL);
   vkCmdFillBuffer(commands, words.buffer, 4, 4, 2);
   vkCmdResetEvent(commands, from_host, VK_PIPELINE_STAGE_TRANSFER_BIT);
   CALL(vkEndCommandBuffer(commands));
   const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   VkFence fence;
   CALL(vkCreateFence(gpu.device, &fence_info, NULL, &fence));
   submit(gpu.queue, commands, VK_NULL_HANDLE, VK_NULL_HANDLE, fence);

   /* It gets as far as the event that the host has not set. */
   for (int i = 0; i < TIMEOUT_MS && vkGetEventStatus(gpu.device, from_device) != VK_EVENT_SET; i++)
      usleep(1000);
   CHECK(vkGetEventStatus(gpu.device, from_device) == VK_EVENT_SET);
   CHECK(vkWaitForFences(gpu.device, 1, &fence, VK_TRUE, 50000000) == VK_TIMEOUT);
   CHECK_EQUAL(((volatile uint32_t *)words.map)[1], 0xcdcdcdcd);
   CALL(vkSetEvent(gpu.device, from_host));
   CALL(vkWaitForFences(gpu.device, 1, &fence, VK_TRUE, timeout_ns));
   CHECK_EQUAL(((uint32_t *)words.map)[0], 1);
   CHECK_EQUAL(((uint32_t *)words.map)[1], 2);
   CHECK(vkGetEventStatus(gpu.device, from_host) == VK_EVENT_RESET);
   CALL(vkResetEvent(gpu.device, from_device));
   CHECK(vkGetEventStatus(gpu.device, from_device) == VK_EVENT_RESET);

   vkFreeCommandBuffers(gpu.device, gpu.pool, 1, &commands);
   vkDestroyFence(gpu.device, fence, NULL);
   buffer_finish(&gpu, &words);
   vkDestroyEvent(gpu.device, from_device, NULL);
   vkDestroyEvent(gpu.device, from_host, NULL);
   gpu_close(&gpu);
   return true;
}

/* ---- timelines ---- */

enum { ROUNDS = 12 };

/* Queues take turns to copy a word to the next place; all is submitted before the host says that it may begin. */
static bool
timelines(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   VkQueue queues[3] = {gpu.queue, gpu.queue, gpu.queue};
   uint32_t families[3] = {gpu.family, gpu.family, gpu.family};
   if (gpu.compute != UINT32_MAX && gpu.general != UINT32_MAX) {
      queues[1] = gpu_queue(&gpu, gpu.compute, 1);
      families[1] = gpu.compute;
      families[2] = gpu.family == gpu.general ? gpu.compute : gpu.general;
      queues[2] = gpu_queue(&gpu, families[2], families[2] == gpu.compute ? 2 : 0);
   }
   const VkSemaphoreTypeCreateInfo type = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
   };
   const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
   VkSemaphore timeline;
   CALL(vkCreateSemaphore(gpu.device, &info, NULL, &timeline));
   struct buffer words;
   buffer_init(&gpu, &words, (ROUNDS + 1) * 4, 0);
   const VkCommandPool own_pool = gpu.pool;
   VkCommandPool pools[3];
   VkCommandBuffer commands[ROUNDS];
   for (uint32_t q = 0; q < 3; q++) {
      const VkCommandPoolCreateInfo pool = {
         .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
         .queueFamilyIndex = families[q],
      };
      CALL(vkCreateCommandPool(gpu.device, &pool, NULL, &pools[q]));
   }
   for (uint32_t r = 0; r < ROUNDS; r++) {
      gpu.pool = pools[r % 3];
      commands[r] = gpu_begin(&gpu);
      const VkBufferCopy copy = {4 * r, 4 * (r + 1), 4};
      vkCmdCopyBuffer(commands[r], words.buffer, words.buffer, 1, &copy);
      gpu_barrier(commands[r]);
      CALL(vkEndCommandBuffer(commands[r]));
   }
   gpu.pool = own_pool;
   /* Each queue's turns in order, as a queue takes them; but those of the last queue first. */
   for (uint32_t n = 0; n < ROUNDS; n++) {
      const uint32_t of_each = ROUNDS / 3;
      const uint32_t turn = queues[1] == queues[0] ? n : n % of_each * 3 + 2 - n / of_each;
      const uint64_t wait = turn + 1, signal = turn + 2;
      const VkTimelineSemaphoreSubmitInfo values = {
         .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
         .waitSemaphoreValueCount = 1,
         .pWaitSemaphoreValues = &wait,
         .signalSemaphoreValueCount = 1,
         .pSignalSemaphoreValues = &signal,
      };
      const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
      const VkSubmitInfo submit_info = {
         .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
         .pNext = &values,
         .waitSemaphoreCount = 1,
         .pWaitSemaphores = &timeline,
         .pWaitDstStageMask = &stage,
         .commandBufferCount = 1,
         .pCommandBuffers = &commands[turn],
         .signalSemaphoreCount = 1,
         .pSignalSemaphores = &timeline,
      };
      CALL(vkQueueSubmit(queues[turn % 3], 1, &submit_info, VK_NULL_HANDLE));
   }
   uint64_t value;
   CALL(vkGetSemaphoreCounterValue(gpu.device, timeline, &value));
   CHECK_EQUAL(value, 0);
   *(uint32_t *)words.map = 4711;
   const VkSemaphoreSignalInfo go = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
      .semaphore = timeline,
      .value = 1,
   };
   CALL(vkSignalSemaphore(gpu.device, &go));
   const uint64_t last = ROUNDS + 1;
   const VkSemaphoreWaitInfo wait_info = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
      .semaphoreCount = 1,
      .pSemaphores = &timeline,
      .pValues = &last,
   };
   CALL(vkWaitSemaphores(gpu.device, &wait_info, timeout_ns));
   for (uint32_t i = 0; i <= ROUNDS; i++)
      CHECK_EQUAL(((uint32_t *)words.map)[i], 4711);
   CALL(vkDeviceWaitIdle(gpu.device));
   for (uint32_t q = 0; q < 3; q++)
      vkDestroyCommandPool(gpu.device, pools[q], NULL);
   buffer_finish(&gpu, &words);
   vkDestroySemaphore(gpu.device, timeline, NULL);
   gpu_close(&gpu);
   return true;
}

/* ---- VK_KHR_global_priority ---- */

static bool
global_priority(void)
{
   static const VkQueueGlobalPriorityKHR priorities[] = {
      VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR, VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR, VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR,
      VK_QUEUE_GLOBAL_PRIORITY_REALTIME_KHR};
   for (uint32_t i = 0; i < 4; i++) {
      const struct gpu_options options = {
         .extensions = (const char *const[]){VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME, NULL},
         .priority = priorities[i],
      };
      struct gpu gpu;
      if (!gpu_open(&gpu, &options))
         return false;
      struct buffer counts;
      buffer_init(&gpu, &counts, 16, 0);
      memset(counts.map, 0, 16);
      const VkPipeline count = gpu_create_pipeline(&gpu, gpu.layout, "count.comp", 0);
      const struct count_push push = {counts.address, 1};
      gpu_run(&gpu, count, &push, sizeof(push), 10);
      CHECK_EQUAL(*(uint32_t *)counts.map, 10 * COUNT_INVOCATIONS);
      vkDestroyPipeline(gpu.device, count, NULL);
      buffer_finish(&gpu, &counts);
      gpu_close(&gpu);
   }
   return true;
}

/* ---- VK_KHR_external_semaphore_fd, VK_KHR_external_fence_fd ---- */

static VkSemaphore
create_semaphore(struct gpu *gpu, VkSemaphoreType kind, VkExternalSemaphoreHandleTypeFlags export)
{
   const VkSemaphoreTypeCreateInfo type = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      .semaphoreType = kind,
   };
   const VkExportSemaphoreCreateInfo exported = {
      .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
      .pNext = &type,
      .handleTypes = export,
   };
   const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &exported};
   VkSemaphore semaphore;
   CALL(vkCreateSemaphore(gpu->device, &info, NULL, &semaphore));
   return semaphore;
}

static int
export_semaphore(struct gpu *gpu, VkSemaphore semaphore, VkExternalSemaphoreHandleTypeFlagBits type)
{
   DEVICE_FUNCTION(gpu, GetSemaphoreFdKHR);
   const VkSemaphoreGetFdInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
      .semaphore = semaphore,
      .handleType = type,
   };
   int fd;
   CALL(GetSemaphoreFdKHR(gpu->device, &info, &fd));
   return fd;
}

static void
import_semaphore(struct gpu *gpu, VkSemaphore semaphore, VkExternalSemaphoreHandleTypeFlagBits type, int fd)
{
   DEVICE_FUNCTION(gpu, ImportSemaphoreFdKHR);
   const VkImportSemaphoreFdInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
      .semaphore = semaphore,
      .flags = type == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT ? VK_SEMAPHORE_IMPORT_TEMPORARY_BIT : 0,
      .handleType = type,
      .fd = fd,
   };
   CALL(ImportSemaphoreFdKHR(gpu->device, &info));
}

/* Commands that wait for an event, so that what they signal is not signalled before the test wants it. */
static VkCommandBuffer
waiting_commands(struct gpu *gpu, VkEvent event, VkBuffer words)
{
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdWaitEvents(commands, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 1,
                   &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER}, 0, NULL, 0, NULL);
   vkCmdFillBuffer(commands, words, 0, 4, 1);
   gpu_barrier(commands);
   CALL(vkEndCommandBuffer(commands));
   return commands;
}

static VkCommandBuffer
copying_commands(struct gpu *gpu, VkBuffer words)
{
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdCopyBuffer(commands, words, words, 1, &(VkBufferCopy){0, 4, 4});
   gpu_barrier(commands);
   CALL(vkEndCommandBuffer(commands));
   return commands;
}

static bool
is_readable(int fd, int timeout_ms)
{
   struct pollfd poller = {.fd = fd, .events = POLLIN};
   return poll(&poller, 1, timeout_ms) == 1 && poller.revents & POLLIN;
}

/* One queue's work, a descriptor of its semaphore and fence, another queue's work that waits for it. */
static bool
sync_files(void)
{
   const struct gpu_options options = {
      .extensions = (const char *const[]){VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
                                          VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME, NULL},
   };
   struct gpu gpu;
   if (!gpu_open(&gpu, &options))
      return false;
   DEVICE_FUNCTION(&gpu, GetFenceFdKHR);
   DEVICE_FUNCTION(&gpu, ImportFenceFdKHR);
   const VkExternalSemaphoreHandleTypeFlagBits type = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
   const VkSemaphore done = create_semaphore(&gpu, VK_SEMAPHORE_TYPE_BINARY, type);
   const VkSemaphore imported = create_semaphore(&gpu, VK_SEMAPHORE_TYPE_BINARY, 0);
   const VkExportFenceCreateInfo exported = {
      .sType = VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO,
      .handleTypes = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
   };
   const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .pNext = &exported};
   VkFence fence, other_fence, last;
   CALL(vkCreateFence(gpu.device, &fence_info, NULL, &fence));
   CALL(vkCreateFence(gpu.device, &fence_info, NULL, &other_fence));
   CALL(vkCreateFence(gpu.device, &fence_info, NULL, &last));
   const VkEventCreateInfo event_info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
   VkEvent event;
   CALL(vkCreateEvent(gpu.device, &event_info, NULL, &event));
   struct buffer words;
   buffer_init(&gpu, &words, 8, 0);
   const VkCommandBuffer waiting = waiting_commands(&gpu, event, words.buffer);
   const VkCommandBuffer copying = copying_commands(&gpu, words.buffer);
   const VkQueue second = gpu.family == gpu.compute ? gpu_queue(&gpu, gpu.compute, 1) : gpu.queue;

   submit(gpu.queue, waiting, VK_NULL_HANDLE, done, fence);
   const int semaphore_fd = export_semaphore(&gpu, done, type);
   const VkFenceGetFdInfoKHR get = {
      .sType = VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR,
      .fence = fence,
      .handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
   };
   int fence_fd;
   CALL(GetFenceFdKHR(gpu.device, &get, &fence_fd));
   CHECK(!is_readable(semaphore_fd, 20) && !is_readable(fence_fd, 0));
   const int kept = dup(semaphore_fd);
   import_semaphore(&gpu, imported, type, semaphore_fd);
   const VkImportFenceFdInfoKHR import = {
      .sType = VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR,
      .fence = other_fence,
      .flags = VK_FENCE_IMPORT_TEMPORARY_BIT,
      .handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
      .fd = fence_fd,
   };
   CALL(ImportFenceFdKHR(gpu.device, &import));
   submit(second, copying, imported, VK_NULL_HANDLE, last);
   CHECK(vkGetFenceStatus(gpu.device, other_fence) == VK_NOT_READY);
   CHECK(vkWaitForFences(gpu.device, 1, &last, VK_TRUE, 20000000) == VK_TIMEOUT);

   CALL(vkSetEvent(gpu.device, event));
   CHECK(is_readable(kept, TIMEOUT_MS));
   CALL(vkWaitForFences(gpu.device, 1, &other_fence, VK_TRUE, timeout_ns));
   CALL(vkWaitForFences(gpu.device, 1, &last, VK_TRUE, timeout_ns));
   CHECK_EQUAL(((uint32_t *)words.map)[0], 1);
   CHECK_EQUAL(((uint32_t *)words.map)[1], 1);
   close(kept);

   /* -1 stands for what has signalled. */
   import_semaphore(&gpu, imported, type, -1);
   submit(second, VK_NULL_HANDLE, imported, VK_NULL_HANDLE, VK_NULL_HANDLE);
   CALL(vkDeviceWaitIdle(gpu.device));
   vkFreeCommandBuffers(gpu.device, gpu.pool, 1, &copying);
   vkFreeCommandBuffers(gpu.device, gpu.pool, 1, &waiting);
   buffer_finish(&gpu, &words);
   vkDestroyEvent(gpu.device, event, NULL);
   vkDestroyFence(gpu.device, last, NULL);
   vkDestroyFence(gpu.device, other_fence, NULL);
   vkDestroyFence(gpu.device, fence, NULL);
   vkDestroySemaphore(gpu.device, imported, NULL);
   vkDestroySemaphore(gpu.device, done, NULL);
   gpu_close(&gpu);
   return true;
}

/* One timeline under two handles. */
static bool
opaque_descriptors(void)
{
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME, NULL))
      return false;
   const VkExternalSemaphoreHandleTypeFlagBits type = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
   const VkSemaphoreTypeCreateInfo timeline = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
   };
   const VkPhysicalDeviceExternalSemaphoreInfo info = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
      .pNext = &timeline,
      .handleType = type,
   };
   VkExternalSemaphoreProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
   vkGetPhysicalDeviceExternalSemaphoreProperties(gpu.physical_device, &info, &properties);
   if (!properties.externalSemaphoreFeatures) {
      gpu_close(&gpu);
      return false;
   }
   const VkSemaphore ours = create_semaphore(&gpu, VK_SEMAPHORE_TYPE_TIMELINE, type);
   const VkSemaphore theirs = create_semaphore(&gpu, VK_SEMAPHORE_TYPE_TIMELINE, 0);
   import_semaphore(&gpu, theirs, type, export_semaphore(&gpu, ours, type));
   const VkSemaphoreSignalInfo signal = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
      .semaphore = ours,
      .value = 5,
   };
   CALL(vkSignalSemaphore(gpu.device, &signal));
   uint64_t value;
   CALL(vkGetSemaphoreCounterValue(gpu.device, theirs, &value));
   CHECK_EQUAL(value, 5);
   vkDestroySemaphore(gpu.device, theirs, NULL);
   vkDestroySemaphore(gpu.device, ours, NULL);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "events", .run = events},
   {.name = "timeline semaphores across queues", .run = timelines},
   {.name = "global priority", .run = global_priority},
   {.name = "sync files", .run = sync_files},
   {.name = "timeline semaphores by descriptor", .run = opaque_descriptors},
   {.name = NULL},
};
