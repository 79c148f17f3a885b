/* SPDX-License-Identifier: MIT */
/*
 * A Vulkan device for compute, of a driver loaded by its file: two drivers can be compared in one process. Every
 * function ends the test when something fails.
 */
#ifndef TESTS_IMAGES_DEVICE_H
#define TESTS_IMAGES_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#define DEVICE_FUNCTIONS(X)                  \
   X(AllocateCommandBuffers)                 \
   X(AllocateDescriptorSets)                 \
   X(AllocateMemory)                         \
   X(BeginCommandBuffer)                     \
   X(BindBufferMemory)                       \
   X(BindImageMemory)                        \
   X(CmdBindDescriptorSets)                  \
   X(CmdBindPipeline)                        \
   X(CmdCopyBufferToImage)                   \
   X(CmdCopyImageToBuffer)                   \
   X(CmdDispatch)                            \
   X(CmdPipelineBarrier)                     \
   X(CmdPushConstants)                       \
   X(CreateBuffer)                           \
   X(CreateBufferView)                       \
   X(CreateCommandPool)                      \
   X(CreateComputePipelines)                 \
   X(CreateDescriptorPool)                   \
   X(CreateDescriptorSetLayout)              \
   X(CreateDevice)                           \
   X(CreateImage)                            \
   X(CreateImageView)                        \
   X(CreatePipelineLayout)                   \
   X(CreateSampler)                          \
   X(CreateShaderModule)                     \
   X(DestroyBuffer)                          \
   X(DestroyBufferView)                      \
   X(DestroyCommandPool)                     \
   X(DestroyDescriptorPool)                  \
   X(DestroyDescriptorSetLayout)             \
   X(DestroyDevice)                          \
   X(DestroyImage)                           \
   X(DestroyImageView)                       \
   X(DestroyInstance)                        \
   X(DestroyPipeline)                        \
   X(DestroyPipelineLayout)                  \
   X(DestroySampler)                         \
   X(DestroyShaderModule)                    \
   X(EndCommandBuffer)                       \
   X(EnumerateDeviceExtensionProperties)     \
   X(EnumeratePhysicalDevices)               \
   X(FreeMemory)                             \
   X(GetBufferMemoryRequirements)            \
   X(GetDeviceProcAddr)                      \
   X(GetDeviceQueue)                         \
   X(GetImageMemoryRequirements)             \
   X(GetPhysicalDeviceFeatures2)             \
   X(GetPhysicalDeviceFormatProperties)      \
   X(GetPhysicalDeviceImageFormatProperties) \
   X(GetPhysicalDeviceMemoryProperties)      \
   X(GetPhysicalDeviceProperties)            \
   X(GetPhysicalDeviceQueueFamilyProperties) \
   X(MapMemory)                              \
   X(QueueSubmit)                            \
   X(QueueWaitIdle)                          \
   X(ResetCommandPool)                       \
   X(ResetDescriptorPool)                    \
   X(UpdateDescriptorSets)

struct device {
   VkInstance instance;
   VkPhysicalDevice physical_device;
   VkPhysicalDeviceMemoryProperties memory;
   VkDevice device;
   VkQueue queue;
   VkCommandPool pool;
   VkCommandBuffer commands;
   char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
#define X(name) PFN_vk##name name;
   DEVICE_FUNCTIONS(X)
#undef X
};

#define CHECK(condition)                                                 \
   do {                                                                  \
      if (!(condition)) {                                                \
         fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
         exit(1);                                                        \
      }                                                                  \
   } while (0)

#define CALL(call)                                                 \
   do {                                                            \
      const VkResult call_result = (call);                         \
      if (call_result != VK_SUCCESS) {                             \
         fprintf(stderr, "%s: VkResult %d\n", #call, call_result); \
         exit(1);                                                  \
      }                                                            \
   } while (0)

/* The first device of the driver in the file `path`, with all that it can do, but robust access. */
void device_open(struct device *device, const char *path);
void device_close(struct device *device);

VkDeviceMemory device_allocate(struct device *device, const VkMemoryRequirements *requirements,
                               VkMemoryPropertyFlags wanted);

/* Mapped, good for anything. */
struct buffer {
   VkBuffer buffer;
   VkDeviceMemory memory;
   void *map;
};

void buffer_init(struct device *device, struct buffer *buffer, VkDeviceSize size);
void buffer_finish(struct device *device, struct buffer *buffer);

/* One descriptor set, and 64 bytes of push constants. */
VkPipelineLayout device_create_layout(struct device *device, VkDescriptorSetLayout set_layout);
/* `wave_size` 0: whichever. */
VkPipeline device_create_pipeline(struct device *device, VkPipelineLayout layout, const char *spirv_path,
                                  uint32_t wave_size);

/* Commands from begin to submit, which waits. */
void device_begin(struct device *device);
void device_barrier(struct device *device);
void device_submit(struct device *device);

#endif
