/* SPDX-License-Identifier: MIT */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdb/hdb_driver.h"

#define MAX_EXTENSIONS 512
#define TIMEOUT_NS 60000000000ull

static void
create_instance(struct device *device)
{
   const VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pApplicationInfo =
         &(VkApplicationInfo){
            .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
            .pApplicationName = "glsl",
            .apiVersion = VK_API_VERSION_1_3,
         },
   };
   DEVICE_CALL(vkCreateInstance(&info, NULL, &device->instance));
   uint32_t count = 1;
   const VkResult result = vkEnumeratePhysicalDevices(device->instance, &count, &device->physical_device);
   if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || count == 0) {
      fprintf(stderr, "no Vulkan device\n");
      exit(1);
   }
   VkPhysicalDeviceProperties properties;
   vkGetPhysicalDeviceProperties(device->physical_device, &properties);
   device->is_virtual = !strncmp(properties.deviceName, HDB_VIRTUAL_DEVICE_PREFIX, strlen(HDB_VIRTUAL_DEVICE_PREFIX));
   vkGetPhysicalDeviceMemoryProperties(device->physical_device, &device->memory);
}

/* Of these, all that it has. */
static uint32_t
pick_extensions(const struct device *device, const char **picked)
{
   static const char *const wanted[] = {
      VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
      VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME,
      VK_KHR_SHADER_CLOCK_EXTENSION_NAME,
      VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME,
      VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME,
      VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME,
      VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME,
   };
   static VkExtensionProperties extensions[MAX_EXTENSIONS];
   uint32_t count = MAX_EXTENSIONS, picked_count = 0;
   vkEnumerateDeviceExtensionProperties(device->physical_device, NULL, &count, extensions);
   for (size_t w = 0; w < sizeof(wanted) / sizeof(wanted[0]); w++) {
      for (uint32_t i = 0; i < count; i++) {
         if (!strcmp(extensions[i].extensionName, wanted[w]))
            picked[picked_count++] = wanted[w];
      }
   }
   return picked_count;
}

/* One that does compute alone, if there is one: images are then filled by compute shaders, not by draws. */
static void
pick_queue_family(struct device *device)
{
   VkQueueFamilyProperties families[16];
   uint32_t count = 16;
   vkGetPhysicalDeviceQueueFamilyProperties(device->physical_device, &count, families);
   for (uint32_t i = 0; i < count; i++) {
      if ((families[i].queueFlags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)) == VK_QUEUE_COMPUTE_BIT) {
         device->queue_family = i;
         return;
      }
   }
}

static void
ignore_shader(void *user, const struct hdb_shader *shader)
{
}

/* With every feature it has, save robustness, which would cost the shaders their optimisations. */
static void
create_device(struct device *device, const struct hdb_driver_link *link)
{
   VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
   VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT, .pNext = &atomic_float};
   VkPhysicalDeviceShaderClockFeaturesKHR clock = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,
                                                   .pNext = &atomic_float2};
   VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicit_layout = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, .pNext = &clock};
   VkPhysicalDeviceVulkan13Features vulkan13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                .pNext = &explicit_layout};
   VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                .pNext = &vulkan13};
   VkPhysicalDeviceVulkan11Features vulkan11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                .pNext = &vulkan12};
   VkPhysicalDeviceFeatures2 features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
      .pNext = &vulkan11,
   };
   vkGetPhysicalDeviceFeatures2(device->physical_device, &features);
   features.features.robustBufferAccess = false;
   vulkan13.robustImageAccess = false;
   atomic_float.pNext = (void *)link; /* not before: a query must not meet an unknown structure */

   const char *extensions[16];
   const float priority = 1.0f;
   const VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &features,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos =
         &(VkDeviceQueueCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = device->queue_family,
            .queueCount = 1,
            .pQueuePriorities = &priority,
         },
      .enabledExtensionCount = pick_extensions(device, extensions),
      .ppEnabledExtensionNames = extensions,
   };
   DEVICE_CALL(vkCreateDevice(device->physical_device, &info, NULL, &device->device));
}

void
device_open(struct device *device, bool compile_debug)
{
   *device = (struct device){0};
   create_instance(device);
   pick_queue_family(device);

   struct hdb_driver *hdb = NULL;
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .flags = HDB_DRIVER_COMPILE_DEBUG,
      .shader_created = ignore_shader,
      .shader_destroyed = ignore_shader,
      .driver = &hdb,
   };
   create_device(device, compile_debug ? &link : NULL);
   if (compile_debug && !hdb) {
      fprintf(stderr, "the driver cannot compile for debugging\n");
      exit(1);
   }
   vkGetDeviceQueue(device->device, device->queue_family, 0, &device->queue);
   const VkCommandPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .queueFamilyIndex = device->queue_family,
   };
   DEVICE_CALL(vkCreateCommandPool(device->device, &pool_info, NULL, &device->command_pool));
}

void
device_close(struct device *device)
{
   vkDestroyCommandPool(device->device, device->command_pool, NULL);
   vkDestroyDevice(device->device, NULL);
   vkDestroyInstance(device->instance, NULL);
}

VkDeviceMemory
device_allocate(const struct device *device, const VkMemoryRequirements *requirements, VkMemoryPropertyFlags wanted)
{
   /* AMD's device-coherent types need a feature of their own. */
   const VkMemoryPropertyFlags unwanted = VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;
   const VkMemoryAllocateFlagsInfo flags = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
   };
   for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
      const VkMemoryPropertyFlags has = device->memory.memoryTypes[i].propertyFlags;
      if (!(requirements->memoryTypeBits >> i & 1) || (has & wanted) != wanted || has & unwanted)
         continue;
      const VkMemoryAllocateInfo info = {
         .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
         .pNext = &flags,
         .allocationSize = requirements->size,
         .memoryTypeIndex = i,
      };
      VkDeviceMemory memory;
      DEVICE_CALL(vkAllocateMemory(device->device, &info, NULL, &memory));
      return memory;
   }
   fprintf(stderr, "no memory of the right type\n");
   exit(1);
}

VkCommandBuffer
device_begin(const struct device *device)
{
   const VkCommandBufferAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = device->command_pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1,
   };
   VkCommandBuffer commands;
   DEVICE_CALL(vkAllocateCommandBuffers(device->device, &info, &commands));
   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   DEVICE_CALL(vkBeginCommandBuffer(commands, &begin));
   return commands;
}

VkResult
device_submit(const struct device *device, VkCommandBuffer commands)
{
   DEVICE_CALL(vkEndCommandBuffer(commands));
   VkFence fence;
   const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   DEVICE_CALL(vkCreateFence(device->device, &fence_info, NULL, &fence));
   const VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
   };
   VkResult result = vkQueueSubmit(device->queue, 1, &info, fence);
   if (result == VK_SUCCESS)
      result = vkWaitForFences(device->device, 1, &fence, VK_TRUE, TIMEOUT_NS);
   vkDestroyFence(device->device, fence, NULL);
   return result;
}
