/* SPDX-License-Identifier: MIT */
/* A Vulkan device with all that the shaders of these tests may use: README.md lists the bindings. */
#ifndef TESTS_GLSL_DEVICE_H
#define TESTS_GLSL_DEVICE_H

#include <vulkan/vulkan.h>

#include "script.h"

struct device {
   VkInstance instance;
   VkPhysicalDevice physical_device;
   VkPhysicalDeviceMemoryProperties memory;
   bool is_virtual; /* hdb's GPU */
   VkDevice device;
   uint32_t queue_family;
   VkQueue queue;
   VkCommandPool command_pool;
};

/* These end the test when Vulkan fails. A device that was lost is destroyed and opened again. */
void device_open(struct device *device, bool compile_debug);
void device_close(struct device *device);

#define DEVICE_CALL(call)                                          \
   do {                                                            \
      const VkResult call_result = (call);                         \
      if (call_result != VK_SUCCESS) {                             \
         fprintf(stderr, "%s: VkResult %d\n", #call, call_result); \
         exit(1);                                                  \
      }                                                            \
   } while (0)

VkDeviceMemory device_allocate(const struct device *device, const VkMemoryRequirements *requirements,
                               VkMemoryPropertyFlags wanted);
VkCommandBuffer device_begin(const struct device *device);
/* Not VK_SUCCESS: it was lost, or did not finish within a minute. */
VkResult device_submit(const struct device *device, VkCommandBuffer commands);

#endif
