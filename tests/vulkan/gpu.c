/* SPDX-License-Identifier: MIT */
#include "gpu.h"

#include <string.h>

#include "hdb/hdb_driver.h"

bool gpu_use_compute_family;
const char *gpu_shaders;

/* ---- the device ---- */

static void
create_instance(struct gpu *gpu)
{
   const VkApplicationInfo application = {
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
      .pApplicationName = "tests/vulkan",
      .apiVersion = VK_API_VERSION_1_3,
   };
   const VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pApplicationInfo = &application,
   };
   CALL(vkCreateInstance(&info, NULL, &gpu->instance));
   uint32_t count = 1;
   const VkResult result = vkEnumeratePhysicalDevices(gpu->instance, &count, &gpu->physical_device);
   CHECK((result == VK_SUCCESS || result == VK_INCOMPLETE) && count == 1);
   vkGetPhysicalDeviceProperties(gpu->physical_device, &gpu->properties);
   vkGetPhysicalDeviceMemoryProperties(gpu->physical_device, &gpu->memory);
   gpu->is_virtual = !strncmp(gpu->properties.deviceName, HDB_VIRTUAL_DEVICE_PREFIX, strlen(HDB_VIRTUAL_DEVICE_PREFIX));
}

static bool
has_extensions(const struct gpu *gpu, const char *const *names, uint32_t *count)
{
   uint32_t available = 0;
   vkEnumerateDeviceExtensionProperties(gpu->physical_device, NULL, &available, NULL);
   VkExtensionProperties *extensions = calloc(available, sizeof(*extensions));
   CHECK(extensions);
   vkEnumerateDeviceExtensionProperties(gpu->physical_device, NULL, &available, extensions);
   *count = 0;
   bool all = true;
   for (; names && *names; names++, ++*count) {
      bool found = false;
      for (uint32_t i = 0; i < available; i++)
         found |= !strcmp(extensions[i].extensionName, *names);
      all &= found;
   }
   free(extensions);
   return all;
}

static uint32_t
find_families(struct gpu *gpu, VkQueueFamilyProperties families[8])
{
   uint32_t count = 8;
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
   gpu->family = gpu_use_compute_family ? gpu->compute : gpu->general;
   return count;
}

static void
create_device(struct gpu *gpu, const struct gpu_options *options, uint32_t extension_count,
              const VkQueueFamilyProperties *families, uint32_t family_count)
{
   static const float priorities[GPU_MAX_QUEUES] = {1, 1, 1, 1};
   const VkDeviceQueueGlobalPriorityCreateInfoKHR global = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR,
      .globalPriority = options->priority,
   };
   VkDeviceQueueCreateInfo queues[8];
   for (uint32_t i = 0; i < family_count; i++) {
      queues[i] = (VkDeviceQueueCreateInfo){
         .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .pNext = options->priority ? &global : NULL,
         .queueFamilyIndex = i,
         .queueCount = families[i].queueCount < GPU_MAX_QUEUES ? families[i].queueCount : GPU_MAX_QUEUES,
         .pQueuePriorities = priorities,
      };
   }
   VkPhysicalDeviceVulkan13Features vulkan13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                .pNext = options->features};
   VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                .pNext = &vulkan13};
   VkPhysicalDeviceVulkan11Features vulkan11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                .pNext = &vulkan12};
   VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan11};
   vkGetPhysicalDeviceFeatures2(gpu->physical_device, &features);
   if (!options->robust) {
      features.features.robustBufferAccess = false;
      vulkan13.robustImageAccess = false;
   }
   const VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &features,
      .queueCreateInfoCount = family_count,
      .pQueueCreateInfos = queues,
      .enabledExtensionCount = extension_count,
      .ppEnabledExtensionNames = options->extensions,
   };
   CALL(vkCreateDevice(gpu->physical_device, &info, NULL, &gpu->device));
}

bool
gpu_open(struct gpu *gpu, const struct gpu_options *options)
{
   static const struct gpu_options nothing;
   if (!options)
      options = &nothing;
   *gpu = (struct gpu){0};
   create_instance(gpu);
   VkQueueFamilyProperties families[8];
   const uint32_t family_count = find_families(gpu, families);
   uint32_t extension_count;
   if (!has_extensions(gpu, options->extensions, &extension_count) || gpu->family == UINT32_MAX) {
      vkDestroyInstance(gpu->instance, NULL);
      return false;
   }
   create_device(gpu, options, extension_count, families, family_count);
   gpu->queue = gpu_queue(gpu, gpu->family, 0);
   const VkCommandPoolCreateInfo pool = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .queueFamilyIndex = gpu->family,
   };
   CALL(vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->pool));
   const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, GPU_PUSH_BYTES};
   const VkPipelineLayoutCreateInfo layout = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &push,
   };
   CALL(vkCreatePipelineLayout(gpu->device, &layout, NULL, &gpu->layout));
   return true;
}

void
gpu_close(struct gpu *gpu)
{
   vkDestroyPipelineLayout(gpu->device, gpu->layout, NULL);
   vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
   vkDestroyDevice(gpu->device, NULL);
   vkDestroyInstance(gpu->instance, NULL);
}

VkQueue
gpu_queue(const struct gpu *gpu, uint32_t family, uint32_t index)
{
   VkQueue queue;
   vkGetDeviceQueue(gpu->device, family, index, &queue);
   return queue;
}

/* ---- memory ---- */

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

VkBuffer
gpu_create_buffer(struct gpu *gpu, VkDeviceSize size, VkBufferUsageFlags usage, VkBufferCreateFlags flags,
                  const void *next)
{
   const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .pNext = next,
      .flags = flags,
      .size = size,
      .usage = usage | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
   };
   VkBuffer buffer;
   CALL(vkCreateBuffer(gpu->device, &info, NULL, &buffer));
   return buffer;
}

VkDeviceAddress
gpu_address(struct gpu *gpu, VkBuffer buffer)
{
   const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer};
   return vkGetBufferDeviceAddress(gpu->device, &info);
}

void
buffer_init(struct gpu *gpu, struct buffer *buffer, VkDeviceSize size, VkBufferUsageFlags usage)
{
   buffer->size = size;
   buffer->buffer = gpu_create_buffer(gpu, size, usage, 0, NULL);
   VkMemoryRequirements requirements;
   vkGetBufferMemoryRequirements(gpu->device, buffer->buffer, &requirements);
   const VkMemoryAllocateFlagsInfo flags = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
   };
   const VkMemoryAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .pNext = &flags,
      .allocationSize = requirements.size,
      .memoryTypeIndex = gpu_memory_type(gpu, requirements.memoryTypeBits,
                                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
   };
   CALL(vkAllocateMemory(gpu->device, &info, NULL, &buffer->memory));
   CALL(vkBindBufferMemory(gpu->device, buffer->buffer, buffer->memory, 0));
   CALL(vkMapMemory(gpu->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->map));
   memset(buffer->map, 0xcd, size);
   buffer->address = gpu_address(gpu, buffer->buffer);
}

void
buffer_finish(struct gpu *gpu, struct buffer *buffer)
{
   vkDestroyBuffer(gpu->device, buffer->buffer, NULL);
   vkFreeMemory(gpu->device, buffer->memory, NULL);
}

void
buffer_number(struct buffer *buffer, uint32_t factor)
{
   for (uint32_t i = 0; i < buffer->size / 4; i++)
      ((uint32_t *)buffer->map)[i] = i * factor;
}

/* ---- commands ---- */

VkCommandBuffer
gpu_begin(struct gpu *gpu)
{
   const VkCommandBufferAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = gpu->pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1,
   };
   VkCommandBuffer commands;
   CALL(vkAllocateCommandBuffers(gpu->device, &allocate, &commands));
   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   CALL(vkBeginCommandBuffer(commands, &begin));
   return commands;
}

void
gpu_barrier(VkCommandBuffer commands)
{
   const VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
                        NULL);
}

void
gpu_submit(struct gpu *gpu, VkCommandBuffer commands)
{
   gpu_barrier(commands);
   CALL(vkEndCommandBuffer(commands));
   const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
   };
   CALL(vkQueueSubmit(gpu->queue, 1, &submit, VK_NULL_HANDLE));
   CALL(vkQueueWaitIdle(gpu->queue));
   vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &commands);
}

/* ---- shaders ---- */

struct spirv
spirv_read(const char *name)
{
   char path[4096];
   snprintf(path, sizeof(path), "%s/%s.spv", gpu_shaders, name);
   FILE *file = fopen(path, "rb");
   if (!file)
      perror(path);
   CHECK(file && !fseek(file, 0, SEEK_END));
   const long size = ftell(file);
   struct spirv spirv = {.words = malloc(size), .size = size};
   rewind(file);
   CHECK(spirv.words && fread(spirv.words, 1, spirv.size, file) == spirv.size);
   fclose(file);
   return spirv;
}

VkShaderModule
gpu_create_module(struct gpu *gpu, const char *name)
{
   struct spirv spirv = spirv_read(name);
   const VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = spirv.size,
      .pCode = spirv.words,
   };
   VkShaderModule module;
   CALL(vkCreateShaderModule(gpu->device, &info, NULL, &module));
   free(spirv.words);
   return module;
}

VkPipeline
gpu_create_pipeline(struct gpu *gpu, VkPipelineLayout layout, const char *name, VkPipelineCreateFlags flags)
{
   const VkShaderModule module = gpu_create_module(gpu, name);
   const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .flags = flags,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
         },
      .layout = layout,
   };
   VkPipeline pipeline;
   CALL(vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   vkDestroyShaderModule(gpu->device, module, NULL);
   return pipeline;
}

void
gpu_dispatch(struct gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline, const void *push, uint32_t push_size,
             uint32_t groups)
{
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdPushConstants(commands, gpu->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size, push);
   vkCmdDispatch(commands, groups, 1, 1);
}

void
gpu_run(struct gpu *gpu, VkPipeline pipeline, const void *push, uint32_t push_size, uint32_t groups)
{
   const VkCommandBuffer commands = gpu_begin(gpu);
   gpu_dispatch(gpu, commands, pipeline, push, push_size, groups);
   gpu_submit(gpu, commands);
}
