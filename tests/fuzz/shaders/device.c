/* SPDX-License-Identifier: MIT */
#include "device.h"

#include <dlfcn.h>
#include <string.h>

#include "hdb/hdb_driver.h"

enum { MAX_EXTENSIONS = 512, MAX_FAMILIES = 16 };

static VkResult
open_instance(struct device *device, const char *path)
{
   void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
   if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return VK_ERROR_INITIALIZATION_FAILED;
   }
   VkResult (*negotiate)(uint32_t *) =
      (VkResult(*)(uint32_t *))dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
   PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
   uint32_t version = 5;
   if (!negotiate || !get || negotiate(&version) != VK_SUCCESS) {
      fprintf(stderr, "%s: not a Vulkan driver\n", path);
      return VK_ERROR_INITIALIZATION_FAILED;
   }
   const VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pApplicationInfo =
         &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3},
   };
   PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
   TRY(create(&info, NULL, &device->instance));
#define X(name) device->name = (PFN_vk##name)get(device->instance, "vk" #name);
   INSTANCE_FUNCTIONS(X)
#undef X
   uint32_t count = 1;
   VkResult result = device->EnumeratePhysicalDevices(device->instance, &count, &device->physical_device);
   if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || !count) {
      fprintf(stderr, "%s: no device\n", path);
      return VK_ERROR_INITIALIZATION_FAILED;
   }
   device->GetPhysicalDeviceMemoryProperties(device->physical_device, &device->memory);
   return VK_SUCCESS;
}

static void
ignore_shader(void *user, const struct hdb_shader *shader)
{
}

/* One that cannot draw if there is one: on it, copies are dispatches. */
static uint32_t
pick_queue_family(struct device *device)
{
   VkQueueFamilyProperties families[MAX_FAMILIES];
   uint32_t count = MAX_FAMILIES, best = 0;
   device->GetPhysicalDeviceQueueFamilyProperties(device->physical_device, &count, families);
   for (uint32_t i = 0; i < count; i++) {
      if ((families[i].queueFlags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)) == VK_QUEUE_COMPUTE_BIT)
         best = i;
   }
   return best;
}

/* Of these, all that it has. */
static uint32_t
pick_extensions(struct device *device, const char **picked)
{
   static const char *const wanted[] = {
      VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
      VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME,
   };
   static VkExtensionProperties extensions[MAX_EXTENSIONS];
   uint32_t count = MAX_EXTENSIONS, found = 0;
   device->EnumerateDeviceExtensionProperties(device->physical_device, NULL, &count, extensions);
   for (size_t w = 0; w < sizeof(wanted) / sizeof(wanted[0]); w++) {
      for (uint32_t i = 0; i < count; i++) {
         if (strcmp(extensions[i].extensionName, wanted[w]) == 0)
            picked[found++] = wanted[w];
      }
   }
   return found;
}

static VkResult
open_device(struct device *device, uint32_t family, bool debug)
{
   VkPhysicalDeviceSubgroupSizeControlProperties waves = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
   VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                              .pNext = &waves};
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
   device->GetPhysicalDeviceProperties2(device->physical_device, &properties);
   device->min_wave_size = waves.minSubgroupSize;
   device->max_wave_size = waves.maxSubgroupSize;

   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .flags = debug ? HDB_DRIVER_COMPILE_DEBUG : 0,
      .shader_created = ignore_shader,
      .shader_destroyed = ignore_shader,
      .driver = &device->hdb,
   };
   VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomics2 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT};
   VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomics = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, .pNext = &atomics2};
   VkPhysicalDeviceVulkan13Features vulkan13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                .pNext = &atomics};
   VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                .pNext = &vulkan13};
   VkPhysicalDeviceVulkan11Features vulkan11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                .pNext = &vulkan12};
   VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan11};
   device->GetPhysicalDeviceFeatures2(device->physical_device, &features);
   features.features.robustBufferAccess = false;
   if (strstr(driver.driverInfo, HDB_DRIVER_INFO_MARK))
      atomics2.pNext = (void *)&link;

   const char *extensions[8];
   const float priority = 1.0f;
   const VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueFamilyIndex = family,
      .queueCount = 1,
      .pQueuePriorities = &priority,
   };
   const VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &features,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queue,
      .enabledExtensionCount = pick_extensions(device, extensions),
      .ppEnabledExtensionNames = extensions,
   };
   TRY(device->CreateDevice(device->physical_device, &info, NULL, &device->device));
#define X(name) device->name = (PFN_vk##name)device->GetDeviceProcAddr(device->device, "vk" #name);
   DEVICE_FUNCTIONS(X)
#undef X
   device->GetDeviceQueue(device->device, family, 0, &device->queue);
   return VK_SUCCESS;
}

static VkResult
create_commands(struct device *device, uint32_t family)
{
   const VkCommandPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
      .queueFamilyIndex = family,
   };
   VkCommandPool pool;
   TRY(device->CreateCommandPool(device->device, &pool_info, NULL, &pool));
   const VkCommandBufferAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1,
   };
   TRY(device->AllocateCommandBuffers(device->device, &allocate, &device->commands));
   return VK_SUCCESS;
}

VkResult
device_init(struct device *device, const char *driver, bool debug)
{
   VkResult result = open_instance(device, driver);
   const uint32_t family = result == VK_SUCCESS ? pick_queue_family(device) : 0;
   if (result == VK_SUCCESS)
      result = open_device(device, family, debug);
   return result == VK_SUCCESS ? create_commands(device, family) : result;
}

VkResult
device_allocate(struct device *device, const VkMemoryRequirements *requirements, VkMemoryPropertyFlags wanted,
                VkDeviceMemory *memory)
{
   const VkMemoryPropertyFlags unwanted = VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD; /* needs a feature of its own */
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
      return device->AllocateMemory(device->device, &info, NULL, memory);
   }
   return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

void
device_barrier(struct device *device)
{
   const VkMemoryBarrier info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
   };
   device->CmdPipelineBarrier(device->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                              0, 1, &info, 0, NULL, 0, NULL);
}
