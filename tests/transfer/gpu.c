/* SPDX-License-Identifier: MIT */
#include "gpu.h"

#include <string.h>
#include <unistd.h>

/* ---- the instance ---- */

static VkDebugUtilsMessengerEXT messenger;
static unsigned complaints;

static VKAPI_ATTR VkBool32 VKAPI_CALL
complain(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
         const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
   fprintf(stderr, "%s\n", data->pMessage);
   complaints++;
   return VK_FALSE;
}

unsigned
instance_complaints(void)
{
   return complaints;
}

static bool
has_layer(const char *name)
{
   VkLayerProperties layers[64];
   uint32_t count = 64;
   vkEnumerateInstanceLayerProperties(&count, layers);
   bool found = false;
   for (uint32_t i = 0; i < count; i++)
      found |= !strcmp(layers[i].layerName, name);
   return found;
}

/* The loader reads the manifests once, when the instance is created. */
static void
create_instance(VkInstance *instance)
{
   static const char *const layer = "VK_LAYER_KHRONOS_validation";
   static const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
   const VkDebugUtilsMessengerCreateInfoEXT messenger_info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
      .pfnUserCallback = complain,
   };
   const VkApplicationInfo application = {
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
      .pApplicationName = "tests/transfer",
      .apiVersion = VK_API_VERSION_1_3,
   };
   const bool validated = has_layer(layer);
   const VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pNext = &messenger_info,
      .pApplicationInfo = &application,
      .enabledLayerCount = validated,
      .ppEnabledLayerNames = &layer,
      .enabledExtensionCount = 1,
      .ppEnabledExtensionNames = &extension,
   };
   CALL(vkCreateInstance(&info, NULL, instance));
   const PFN_vkCreateDebugUtilsMessengerEXT create =
      (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(*instance, "vkCreateDebugUtilsMessengerEXT");
   CALL(create(*instance, &messenger_info, NULL, &messenger));
}

void
instance_close(VkInstance instance)
{
   const PFN_vkDestroyDebugUtilsMessengerEXT destroy =
      (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkDestroyDebugUtilsMessengerEXT");
   destroy(instance, messenger, NULL);
   vkDestroyInstance(instance, NULL);
}

bool
instance_open(VkInstance *instance, const char *driver, const char *lavapipe_manifest)
{
   if (!driver || !driver[0] || access(lavapipe_manifest, R_OK))
      return false;
   char manifest[] = "/tmp/hdb-transfer-XXXXXX.json", files[4096];
   FILE *file = fdopen(mkstemps(manifest, strlen(".json")), "w");
   CHECK(file);
   fprintf(file,
           "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\", \"api_version\": \"1.4.305\"}}\n",
           driver);
   CHECK(!fclose(file));
   snprintf(files, sizeof(files), "%s:%s", manifest, lavapipe_manifest);
   setenv("VK_DRIVER_FILES", files, 1);
   unsetenv("VK_ICD_FILENAMES");
   unsetenv("VK_INSTANCE_LAYERS");
   create_instance(instance);
   unlink(manifest);
   return true;
}

/* ---- devices ---- */

static VkPhysicalDevice
find_device(VkInstance instance, VkDriverId driver)
{
   VkPhysicalDevice devices[8];
   uint32_t count = 8;
   CALL(vkEnumeratePhysicalDevices(instance, &count, devices));
   for (uint32_t i = 0; i < count; i++) {
      VkPhysicalDeviceDriverProperties properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
      VkPhysicalDeviceProperties2 query = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                           .pNext = &properties};
      vkGetPhysicalDeviceProperties2(devices[i], &query);
      if (properties.driverID == driver)
         return devices[i];
   }
   fprintf(stderr, "no device of driver %d\n", driver);
   exit(1);
}

/* A queue of the first family with graphics, and of the first without that computes. */
static unsigned
pick_families(struct gpu *gpu, uint32_t picked[2])
{
   VkQueueFamilyProperties families[8];
   uint32_t count = 8;
   vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical_device, &count, families);
   unsigned found = 0;
   for (int graphics = 1; graphics >= 0; graphics--) {
      for (uint32_t i = 0; i < count; i++) {
         const VkQueueFlags flags = families[i].queueFlags;
         if (flags & VK_QUEUE_COMPUTE_BIT && !!(flags & VK_QUEUE_GRAPHICS_BIT) == graphics) {
            gpu->queues[found].graphics = graphics;
            picked[found++] = i;
            break;
         }
      }
   }
   return found;
}

static void
create_device(struct gpu *gpu, const uint32_t *families)
{
   static const float priority = 1;
   VkDeviceQueueCreateInfo queues[2];
   for (unsigned i = 0; i < gpu->queue_count; i++) {
      queues[i] = (VkDeviceQueueCreateInfo){
         .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = families[i],
         .queueCount = 1,
         .pQueuePriorities = &priority,
      };
   }
   VkPhysicalDeviceVulkan13Features vulkan13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
   VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                .pNext = &vulkan13};
   VkPhysicalDeviceVulkan11Features vulkan11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                .pNext = &vulkan12};
   VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan11};
   vkGetPhysicalDeviceFeatures2(gpu->physical_device, &features);
   const VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &features,
      .queueCreateInfoCount = gpu->queue_count,
      .pQueueCreateInfos = queues,
   };
   CALL(vkCreateDevice(gpu->physical_device, &info, NULL, &gpu->device));
}

uint32_t
gpu_memory_type(const struct gpu *gpu, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
   const VkMemoryPropertyFlags unwanted = VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD; /* needs a feature of its own */
   for (uint32_t i = 0; i < gpu->memory.memoryTypeCount; i++) {
      const VkMemoryPropertyFlags has = gpu->memory.memoryTypes[i].propertyFlags;
      if (allowed >> i & 1 && (has & wanted) == wanted && !(has & unwanted))
         return i;
   }
   fprintf(stderr, "no memory of the right type\n");
   exit(1);
}

static void
create_buffer(struct gpu *gpu, struct buffer *buffer)
{
   const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = GPU_BUFFER_BYTES,
      .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
   };
   CALL(vkCreateBuffer(gpu->device, &info, NULL, &buffer->buffer));
   VkMemoryRequirements requirements;
   vkGetBufferMemoryRequirements(gpu->device, buffer->buffer, &requirements);
   const VkMemoryAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .allocationSize = requirements.size,
      .memoryTypeIndex = gpu_memory_type(gpu, requirements.memoryTypeBits,
                                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
   };
   CALL(vkAllocateMemory(gpu->device, &allocate, NULL, &buffer->memory));
   CALL(vkBindBufferMemory(gpu->device, buffer->buffer, buffer->memory, 0));
   CALL(vkMapMemory(gpu->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, (void **)&buffer->map));
}

static void
destroy_buffer(struct gpu *gpu, struct buffer *buffer)
{
   vkDestroyBuffer(gpu->device, buffer->buffer, NULL);
   vkFreeMemory(gpu->device, buffer->memory, NULL);
}

void
gpu_open(struct gpu *gpu, VkInstance instance, VkDriverId driver)
{
   uint32_t families[2];
   *gpu = (struct gpu){.physical_device = find_device(instance, driver)};
   vkGetPhysicalDeviceMemoryProperties(gpu->physical_device, &gpu->memory);
   gpu->queue_count = pick_families(gpu, families);
   create_device(gpu, families);
   for (unsigned i = 0; i < gpu->queue_count; i++) {
      vkGetDeviceQueue(gpu->device, families[i], 0, &gpu->queues[i].queue);
      const VkCommandPoolCreateInfo info = {
         .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
         .queueFamilyIndex = families[i],
      };
      CALL(vkCreateCommandPool(gpu->device, &info, NULL, &gpu->queues[i].pool));
   }
   gpu->queue = &gpu->queues[0];
   create_buffer(gpu, &gpu->source);
   create_buffer(gpu, &gpu->result);
}

void
gpu_close(struct gpu *gpu)
{
   destroy_buffer(gpu, &gpu->source);
   destroy_buffer(gpu, &gpu->result);
   for (unsigned i = 0; i < gpu->queue_count; i++)
      vkDestroyCommandPool(gpu->device, gpu->queues[i].pool, NULL);
   vkDestroyDevice(gpu->device, NULL);
}

/* ---- commands ---- */

void
gpu_begin(struct gpu *gpu)
{
   const VkCommandBufferAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = gpu->queue->pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1,
   };
   CALL(vkAllocateCommandBuffers(gpu->device, &allocate, &gpu->commands));
   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   CALL(vkBeginCommandBuffer(gpu->commands, &begin));
}

void
gpu_barrier(struct gpu *gpu)
{
   const VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
   };
   vkCmdPipelineBarrier(gpu->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
                        NULL);
}

void
gpu_submit(struct gpu *gpu)
{
   gpu_barrier(gpu);
   CALL(vkEndCommandBuffer(gpu->commands));
   const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &gpu->commands,
   };
   CALL(vkQueueSubmit(gpu->queue->queue, 1, &submit, VK_NULL_HANDLE));
   CALL(vkQueueWaitIdle(gpu->queue->queue));
   vkFreeCommandBuffers(gpu->device, gpu->queue->pool, 1, &gpu->commands);
}
