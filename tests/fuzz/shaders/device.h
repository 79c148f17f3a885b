/* SPDX-License-Identifier: MIT */
/* A Vulkan driver loaded by its file, without the loader and without layers, and its first device. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#define INSTANCE_FUNCTIONS(X)            \
   X(CreateDevice)                       \
   X(EnumerateDeviceExtensionProperties) \
   X(EnumeratePhysicalDevices)           \
   X(GetDeviceProcAddr)                  \
   X(GetPhysicalDeviceFeatures2)         \
   X(GetPhysicalDeviceMemoryProperties)  \
   X(GetPhysicalDeviceProperties2)       \
   X(GetPhysicalDeviceQueueFamilyProperties)

#define DEVICE_FUNCTIONS(X)       \
   X(AllocateCommandBuffers)      \
   X(AllocateDescriptorSets)      \
   X(AllocateMemory)              \
   X(BeginCommandBuffer)          \
   X(BindBufferMemory)            \
   X(BindImageMemory)             \
   X(CmdBindDescriptorSets)       \
   X(CmdBindPipeline)             \
   X(CmdCopyBufferToImage)        \
   X(CmdCopyImageToBuffer)        \
   X(CmdDispatch)                 \
   X(CmdDispatchIndirect)         \
   X(CmdPipelineBarrier)          \
   X(CmdPushConstants)            \
   X(CreateBuffer)                \
   X(CreateBufferView)            \
   X(CreateCommandPool)           \
   X(CreateComputePipelines)      \
   X(CreateDescriptorPool)        \
   X(CreateDescriptorSetLayout)   \
   X(CreateImage)                 \
   X(CreateImageView)             \
   X(CreatePipelineLayout)        \
   X(CreateSampler)               \
   X(CreateShaderModule)          \
   X(DestroyBufferView)           \
   X(DestroyDescriptorPool)       \
   X(DestroyDescriptorSetLayout)  \
   X(DestroyImage)                \
   X(DestroyImageView)            \
   X(DestroyPipeline)             \
   X(DestroyPipelineLayout)       \
   X(DestroySampler)              \
   X(DestroyShaderModule)         \
   X(EndCommandBuffer)            \
   X(FreeMemory)                  \
   X(GetBufferDeviceAddress)      \
   X(GetBufferMemoryRequirements) \
   X(GetDeviceQueue)              \
   X(GetImageMemoryRequirements)  \
   X(MapMemory)                   \
   X(QueueSubmit)                 \
   X(QueueWaitIdle)               \
   X(UpdateDescriptorSets)

struct device {
   VkInstance instance;
   VkPhysicalDevice physical_device;
   VkDevice device;
   VkQueue queue;
   VkCommandBuffer commands;
   VkPhysicalDeviceMemoryProperties memory;
   uint32_t min_wave_size, max_wave_size;
   struct hdb_driver *hdb;
#define X(name) PFN_vk##name name;
   INSTANCE_FUNCTIONS(X)
   DEVICE_FUNCTIONS(X)
#undef X
};

/* In functions that return a VkResult: returns it unless it is VK_SUCCESS, and says so. */
#define TRY(call)                                     \
   do {                                               \
      const VkResult try_result = (call);             \
      if (try_result != VK_SUCCESS) {                 \
         fprintf(stderr, #call ": %d\n", try_result); \
         return try_result;                           \
      }                                               \
   } while (0)

/* The fork is debugged through the link in include/hdb/hdb_driver.h if `debug`. */
VkResult device_init(struct device *device, const char *driver, bool debug);

VkResult device_allocate(struct device *device, const VkMemoryRequirements *requirements, VkMemoryPropertyFlags wanted,
                         VkDeviceMemory *memory);

/* All that was written before can be read afterwards. */
void device_barrier(struct device *device);

#endif
