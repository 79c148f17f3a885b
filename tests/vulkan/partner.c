/* SPDX-License-Identifier: MIT */
#include "partner.h"

static const VkExternalSemaphoreHandleTypeFlagBits type = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;

static bool
can_share(const struct gpu *gpu, VkSemaphoreType kind)
{
   const VkSemaphoreTypeCreateInfo timeline = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      .semaphoreType = kind,
   };
   const VkPhysicalDeviceExternalSemaphoreInfo info = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
      .pNext = &timeline,
      .handleType = type,
   };
   VkExternalSemaphoreProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
   vkGetPhysicalDeviceExternalSemaphoreProperties(gpu->physical_device, &info, &properties);
   return properties.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

static VkSemaphore
create_semaphore(struct gpu *gpu, VkSemaphoreType kind, int fd)
{
   const VkSemaphoreTypeCreateInfo timeline = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      .semaphoreType = kind,
   };
   const VkExportSemaphoreCreateInfo exported = {
      .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
      .pNext = &timeline,
      .handleTypes = fd < 0 ? type : 0,
   };
   const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &exported};
   VkSemaphore semaphore;
   CALL(vkCreateSemaphore(gpu->device, &info, NULL, &semaphore));
   if (fd >= 0) {
      DEVICE_FUNCTION(gpu, ImportSemaphoreFdKHR);
      const VkImportSemaphoreFdInfoKHR imported = {
         .sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
         .semaphore = semaphore,
         .handleType = type,
         .fd = fd,
      };
      CALL(ImportSemaphoreFdKHR(gpu->device, &imported));
   }
   return semaphore;
}

bool
partner_init(struct partner *partner, const int descriptors[PARTNER_DESCRIPTORS])
{
   const struct gpu_options options = {
      .extensions = (const char *const[]){VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                          VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME, NULL},
   };
   struct gpu *gpu = &partner->gpu;
   if (!gpu_open(gpu, &options))
      return false;
   if (!can_share(gpu, VK_SEMAPHORE_TYPE_TIMELINE) || !can_share(gpu, VK_SEMAPHORE_TYPE_BINARY)) {
      gpu_close(gpu);
      return false;
   }
   static const int none[PARTNER_DESCRIPTORS] = {-1, -1, -1, -1};
   const int *fds = descriptors ? descriptors : none;
   if (descriptors)
      external_import(gpu, &partner->buffer, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, fds[0]);
   else
      external_init(gpu, &partner->buffer, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
   partner->line = create_semaphore(gpu, VK_SEMAPHORE_TYPE_TIMELINE, fds[1]);
   partner->there = create_semaphore(gpu, VK_SEMAPHORE_TYPE_BINARY, fds[2]);
   partner->back = create_semaphore(gpu, VK_SEMAPHORE_TYPE_BINARY, fds[3]);
   partner->store = gpu_create_pipeline(gpu, gpu->layout, "store.comp", 0);
   return true;
}

void
partner_finish(struct partner *partner)
{
   struct gpu *gpu = &partner->gpu;
   CALL(vkDeviceWaitIdle(gpu->device));
   vkDestroyPipeline(gpu->device, partner->store, NULL);
   vkDestroySemaphore(gpu->device, partner->line, NULL);
   vkDestroySemaphore(gpu->device, partner->there, NULL);
   vkDestroySemaphore(gpu->device, partner->back, NULL);
   buffer_finish(gpu, &partner->buffer);
   gpu_close(gpu);
}

static int
export_semaphore(struct gpu *gpu, VkSemaphore semaphore)
{
   DEVICE_FUNCTION(gpu, GetSemaphoreFdKHR);
   const VkSemaphoreGetFdInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
      .semaphore = semaphore,
      .handleType = type,
   };
   int fd = -1;
   CALL(GetSemaphoreFdKHR(gpu->device, &info, &fd));
   CHECK(fd > 2);
   return fd;
}

void
partner_export(struct partner *partner, int descriptors[PARTNER_DESCRIPTORS])
{
   struct gpu *gpu = &partner->gpu;
   descriptors[0] = external_export(gpu, partner->buffer.memory, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
   descriptors[1] = export_semaphore(gpu, partner->line);
   descriptors[2] = export_semaphore(gpu, partner->there);
   descriptors[3] = export_semaphore(gpu, partner->back);
}

/* Sums up what a submission waits for, or signals. */
struct points {
   uint32_t count;
   VkSemaphore semaphores[2];
   uint64_t values[2];
};

static struct points
collect(const struct partner *partner, VkSemaphore binary, uint64_t line)
{
   struct points points = {0};
   if (binary)
      points.semaphores[points.count++] = binary;
   if (line) {
      points.values[points.count] = line;
      points.semaphores[points.count++] = partner->line;
   }
   return points;
}

void
partner_submit(struct partner *partner, const struct partner_work *work)
{
   struct gpu *gpu = &partner->gpu;
   const VkCommandBuffer commands = gpu_begin(gpu);
   if (work->count) {
      const struct {
         uint64_t to;
         uint32_t factor, base;
      } push = {partner->buffer.address + 4 * (uint64_t)work->first, work->factor, work->base};
      gpu_dispatch(gpu, commands, partner->store, &push, sizeof(push), work->count / 64);
   }
   gpu_barrier(commands);
   CALL(vkEndCommandBuffer(commands));

   const struct points waits = collect(partner, work->wait_binary, work->wait_line);
   const struct points signals = collect(partner, work->signal_binary, work->signal_line);
   const VkPipelineStageFlags stages[2] = {VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
   const VkTimelineSemaphoreSubmitInfo values = {
      .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .waitSemaphoreValueCount = waits.count,
      .pWaitSemaphoreValues = waits.values,
      .signalSemaphoreValueCount = signals.count,
      .pSignalSemaphoreValues = signals.values,
   };
   const VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .pNext = &values,
      .waitSemaphoreCount = waits.count,
      .pWaitSemaphores = waits.semaphores,
      .pWaitDstStageMask = stages,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
      .signalSemaphoreCount = signals.count,
      .pSignalSemaphores = signals.semaphores,
   };
   CALL(vkQueueSubmit(gpu->queue, 1, &info, VK_NULL_HANDLE));
}

void
partner_wait(struct partner *partner, uint64_t value)
{
   const VkSemaphoreWaitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
      .semaphoreCount = 1,
      .pSemaphores = &partner->line,
      .pValues = &value,
   };
   CALL(vkWaitSemaphores(partner->gpu.device, &info, UINT64_C(30000000000)));
   uint64_t now;
   CALL(vkGetSemaphoreCounterValue(partner->gpu.device, partner->line, &now));
   CHECK(now >= value);
}
