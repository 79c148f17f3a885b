/* SPDX-License-Identifier: MIT */
/* VK_EXT_device_fault: what a device that was lost by a wild store says of it. */
#include "gpu.h"
#include "test.h"

static void
check_report(struct gpu *gpu, VkDeviceAddress address)
{
   DEVICE_FUNCTION(gpu, GetDeviceFaultInfoEXT);
   VkDeviceFaultCountsEXT counts = {.sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT};
   CALL(GetDeviceFaultInfoEXT(gpu->device, &counts, NULL));
   CHECK_EQUAL(counts.addressInfoCount, 1);
   VkDeviceFaultAddressInfoEXT where;
   VkDeviceFaultInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT, .pAddressInfos = &where};
   counts.vendorInfoCount = 0;
   counts.vendorBinarySize = 0;
   CALL(GetDeviceFaultInfoEXT(gpu->device, &counts, &info));
   CHECK_EQUAL(counts.addressInfoCount, 1);
   CHECK_EQUAL(where.addressType, VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT);
   const VkDeviceAddress first = where.reportedAddress & ~(where.addressPrecision - 1);
   CHECK(address >= first && address < first + where.addressPrecision);
   CHECK(info.description[0]);
}

static bool
device_fault(void)
{
   VkPhysicalDeviceFaultFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT};
   const struct gpu_options options = {
      .extensions = (const char *const[]){VK_EXT_DEVICE_FAULT_EXTENSION_NAME, NULL},
      .features = &features,
   };
   struct gpu gpu;
   if (!gpu_open(&gpu, &options))
      return false;
   if (!gpu.is_virtual) { /* on a CPU the store would end the process */
      gpu_close(&gpu);
      return false;
   }
   const struct {
      uint64_t to;
      uint32_t factor, base;
   } push = {0x123456789000, 1, 1};
   const VkPipeline store = gpu_create_pipeline(&gpu, gpu.layout, "store.comp", 0);
   const VkCommandBuffer commands = gpu_begin(&gpu);
   gpu_dispatch(&gpu, commands, store, &push, sizeof(push), 1);
   CALL(vkEndCommandBuffer(commands));
   const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
   };
   CALL(vkQueueSubmit(gpu.queue, 1, &submit, VK_NULL_HANDLE));
   CHECK(vkQueueWaitIdle(gpu.queue) == VK_ERROR_DEVICE_LOST);
   check_report(&gpu, push.to);
   vkDestroyPipeline(gpu.device, store, NULL);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "device fault", .run = device_fault, .not_validated = true},
   {.name = NULL},
};
