/* SPDX-License-Identifier: MIT */
/* VK_EXT_device_fault: what a device that was lost by a wild access says of it. */
#include "gpu.h"
#include "test.h"

static void
check_report(struct gpu *gpu, VkDeviceAddress address, VkDeviceFaultAddressTypeEXT type)
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
   CHECK_EQUAL(where.addressType, type);
   const VkDeviceAddress first = where.reportedAddress & ~(where.addressPrecision - 1);
   CHECK(address >= first && address < first + where.addressPrecision);
   CHECK(info.description[0]);
}

/* A dispatch of a shader whose push constants begin with the address where it is to fault, and go on with another one,
 * or with numbers. */
static bool
check_fault(const char *shader, VkDeviceAddress address, VkDeviceFaultAddressTypeEXT type)
{
   VkPhysicalDeviceFaultFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT};
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_DEVICE_FAULT_EXTENSION_NAME, &features))
      return false;
   if (!gpu.is_virtual) { /* on a CPU the access would end the process */
      gpu_close(&gpu);
      return false;
   }
   struct buffer result;
   buffer_init(&gpu, &result, 4, 0);
   const uint64_t push[] = {address, result.address};
   const VkPipeline pipeline = gpu_create_pipeline(&gpu, gpu.layout, shader, 0);
   const VkCommandBuffer commands = gpu_begin(&gpu);
   gpu_dispatch(&gpu, commands, pipeline, push, sizeof(push), 1);
   CALL(vkEndCommandBuffer(commands));
   const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
   };
   CALL(vkQueueSubmit(gpu.queue, 1, &submit, VK_NULL_HANDLE));
   CHECK(vkQueueWaitIdle(gpu.queue) == VK_ERROR_DEVICE_LOST);
   check_report(&gpu, address, type);
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   buffer_finish(&gpu, &result);
   gpu_close(&gpu);
   return true;
}

static bool
wild_store(void)
{
   return check_fault("store.comp", 0x123456789000, VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT);
}

static bool
wild_load(void)
{
   return check_fault("load.comp", 0x23456789abc0, VK_DEVICE_FAULT_ADDRESS_TYPE_READ_INVALID_EXT);
}

static bool
null_load(void)
{
   return check_fault("load.comp", 64, VK_DEVICE_FAULT_ADDRESS_TYPE_READ_INVALID_EXT);
}

const struct test tests[] = {
   {.name = "wild store", .run = wild_store, .not_validated = true},
   {.name = "wild load", .run = wild_load, .not_validated = true},
   {.name = "null load", .run = null_load, .not_validated = true},
   {.name = NULL},
};
