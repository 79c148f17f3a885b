/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "hdb/hdb_driver.h"
#include "instance.h"

enum { MAX_FAMILIES = 8, MAX_EXTENSIONS = 32 };

enum gpu_choice gpu_choice;

/* Of the names, those that the device has. Returns whether these are enough. */
static bool
pick_extensions(const struct gpu *gpu, const struct gpu_options *options, const char *picked[MAX_EXTENSIONS],
                uint32_t *count)
{
   uint32_t available = 0, wanted = 0;
   vkEnumerateDeviceExtensionProperties(gpu->physical_device, NULL, &available, NULL);
   VkExtensionProperties *extensions = calloc(available, sizeof(*extensions));
   CHECK(extensions);
   vkEnumerateDeviceExtensionProperties(gpu->physical_device, NULL, &available, extensions);
   *count = 0;
   for (; options->extensions && options->extensions[wanted]; wanted++) {
      CHECK(wanted < MAX_EXTENSIONS);
      for (uint32_t i = 0; i < available; i++)
         if (!strcmp(extensions[i].extensionName, options->extensions[wanted]))
            picked[(*count)++] = options->extensions[wanted];
   }
   free(extensions);
   return options->optional || *count == wanted;
}

static uint32_t
find_families(struct gpu *gpu, VkQueueFamilyProperties families[MAX_FAMILIES])
{
   uint32_t count = MAX_FAMILIES;
   vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical_device, &count, families);
   gpu->general = gpu->compute = gpu->sparse = UINT32_MAX;
   for (uint32_t i = count; i-- > 0;) {
      const VkQueueFlags flags = families[i].queueFlags;
      if (flags & VK_QUEUE_SPARSE_BINDING_BIT)
         gpu->sparse = i;
      if (flags & VK_QUEUE_COMPUTE_BIT && flags & VK_QUEUE_GRAPHICS_BIT)
         gpu->general = i;
      else if (flags & VK_QUEUE_COMPUTE_BIT)
         gpu->compute = i;
   }
   const bool computes = gpu_choice == GPU_COMPUTE || (gpu_choice == GPU_COMPUTE_FIRST && gpu->compute != UINT32_MAX);
   gpu->family = computes ? gpu->compute : gpu->general;
   return count;
}

static bool
has_link(const struct gpu *gpu)
{
   VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
   vkGetPhysicalDeviceProperties2(gpu->physical_device, &properties);
   return strstr(driver.driverInfo, HDB_DRIVER_INFO_MARK);
}

static void
ignore_shader(void *user, const struct hdb_shader *shader)
{
}

static void
create_device(struct gpu *gpu, const struct gpu_options *options, const VkDeviceCreateInfo *queues_and_extensions)
{
   VkPhysicalDeviceVulkan13Features vulkan13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                .pNext = options->features};
   VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                .pNext = &vulkan13};
   VkPhysicalDeviceVulkan11Features vulkan11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                .pNext = &vulkan12};
   VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan11};
   vkGetPhysicalDeviceFeatures2(gpu->physical_device, &features);
   if (!options->robust) { /* which costs shaders their optimizations */
      features.features.robustBufferAccess = false;
      vulkan13.robustImageAccess = false;
   }
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .pNext = &features,
      .version = HDB_DRIVER_VERSION,
      .flags = options->compile_debug ? HDB_DRIVER_COMPILE_DEBUG : 0,
      .shader_created = ignore_shader,
      .shader_destroyed = ignore_shader,
      .driver = &gpu->hdb,
   };
   VkDeviceCreateInfo info = *queues_and_extensions;
   info.pNext = options->linked && has_link(gpu) ? (const void *)&link : &features;
   CALL(vkCreateDevice(gpu->physical_device, &info, NULL, &gpu->device));
}

bool
gpu_open(struct gpu *gpu, const struct gpu_options *options)
{
   static const struct gpu_options nothing;
   if (!options)
      options = &nothing;
   *gpu = (struct gpu){0};
   instance_open(gpu, options);
   vkGetPhysicalDeviceProperties(gpu->physical_device, &gpu->properties);
   vkGetPhysicalDeviceMemoryProperties(gpu->physical_device, &gpu->memory);
   gpu->is_virtual = !strncmp(gpu->properties.deviceName, HDB_VIRTUAL_DEVICE_PREFIX, strlen(HDB_VIRTUAL_DEVICE_PREFIX));

   VkQueueFamilyProperties families[MAX_FAMILIES];
   VkDeviceQueueCreateInfo queues[MAX_FAMILIES];
   const char *extensions[MAX_EXTENSIONS];
   VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .queueCreateInfoCount = find_families(gpu, families),
      .pQueueCreateInfos = queues,
      .ppEnabledExtensionNames = extensions,
   };
   if (!pick_extensions(gpu, options, extensions, &info.enabledExtensionCount) || gpu->family == UINT32_MAX) {
      instance_close(gpu);
      return false;
   }
   static const float priorities[GPU_MAX_QUEUES] = {1, 1, 1, 1};
   const VkDeviceQueueGlobalPriorityCreateInfoKHR global = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR,
      .globalPriority = options->priority,
   };
   for (uint32_t i = 0; i < info.queueCreateInfoCount; i++) {
      queues[i] = (VkDeviceQueueCreateInfo){
         .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .pNext = options->priority ? &global : NULL,
         .queueFamilyIndex = i,
         .queueCount = families[i].queueCount < GPU_MAX_QUEUES ? families[i].queueCount : GPU_MAX_QUEUES,
         .pQueuePriorities = priorities,
      };
   }
   create_device(gpu, options, &info);
   gpu_use_family(gpu, gpu->family);
   gpu->layout = gpu_create_layout(gpu, 0, NULL);
   return true;
}

bool
gpu_open_with(struct gpu *gpu, const char *extension, void *features)
{
   const struct gpu_options options = {.extensions = (const char *const[]){extension, NULL}, .features = features};
   return gpu_open(gpu, &options);
}

void
gpu_close(struct gpu *gpu)
{
   vkDestroyPipelineLayout(gpu->device, gpu->layout, NULL);
   vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
   vkDestroyDevice(gpu->device, NULL);
   instance_close(gpu);
}

VkQueue
gpu_queue(const struct gpu *gpu, uint32_t family, uint32_t index)
{
   VkQueue queue;
   vkGetDeviceQueue(gpu->device, family, index, &queue);
   return queue;
}

void
gpu_use_family(struct gpu *gpu, uint32_t family)
{
   vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
   const VkCommandPoolCreateInfo pool = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .queueFamilyIndex = family,
   };
   CALL(vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->pool));
   gpu->family = family;
   gpu->queue = gpu_queue(gpu, family, 0);
}
