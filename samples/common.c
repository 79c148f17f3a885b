/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define MAX_DEVICES 16
#define MAX_QUEUE_FAMILIES 16
#define MAX_EXTENSIONS 256

struct options {
   const char *device;
   bool compute_queue;
};

static _Noreturn void
fail(const struct sample *sample, const char *format, const char *detail)
{
   fprintf(stderr, "%s: ", sample->name);
   fprintf(stderr, format, detail);
   fputc('\n', stderr);
   exit(2);
}

void
sample_check(const struct sample *sample, VkResult result, const char *call)
{
   if (result == VK_SUCCESS)
      return;
   fprintf(stderr, "%s: %s failed: VkResult %d\n", sample->name, call, result);
   exit(2);
}

static uint32_t
parse_count(const struct sample *sample, const char *text)
{
   char *end;
   unsigned long count = strtoul(text, &end, 0);
   if (*text == '-' || end == text || *end || count == 0 || count > 1u << 26)
      fail(sample, "-n takes a number from 1 to 67108864, not '%s'", text);
   return (uint32_t)count;
}

static void
parse_options(struct sample *sample, struct options *options, int argc, char **argv)
{
   for (int i = 1; i < argc; i++) {
      const char *option = argv[i];
      const char *value = argv[i + 1];
      bool known = !strcmp(option, "--queue") || !strcmp(option, "--device") || !strcmp(option, "-n");
      if (!known)
         fail(sample, "unknown option '%s'; options are --queue general|compute, --device NAME, -n ELEMENTS", option);
      if (!value)
         fail(sample, "%s needs a value", option);
      i++;
      if (!strcmp(option, "-n")) {
         sample->n = parse_count(sample, value);
      } else if (!strcmp(option, "--device")) {
         options->device = value;
      } else {
         options->compute_queue = !strcmp(value, "compute");
         if (!options->compute_queue && strcmp(value, "general"))
            fail(sample, "--queue takes general or compute, not '%s'", value);
      }
   }
}

static bool
has_debug_utils(const struct sample *sample)
{
   VkExtensionProperties extensions[MAX_EXTENSIONS];
   uint32_t count = MAX_EXTENSIONS;
   VkResult result = vkEnumerateInstanceExtensionProperties(NULL, &count, extensions);
   if (result != VK_INCOMPLETE)
      sample_check(sample, result, "vkEnumerateInstanceExtensionProperties");
   for (uint32_t i = 0; i < count; i++) {
      if (!strcmp(extensions[i].extensionName, VK_EXT_DEBUG_UTILS_EXTENSION_NAME))
         return true;
   }
   return false;
}

static void
create_instance(struct sample *sample)
{
   const char *debug_utils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
   bool with_debug_utils = has_debug_utils(sample);
   VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pApplicationInfo =
         &(VkApplicationInfo){
            .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
            .pApplicationName = sample->name,
            .apiVersion = VK_API_VERSION_1_3,
         },
      .enabledExtensionCount = with_debug_utils ? 1 : 0,
      .ppEnabledExtensionNames = &debug_utils,
   };
   SAMPLE_CALL(sample, vkCreateInstance, &info, NULL, &sample->instance);
   if (!with_debug_utils)
      return;
   sample->set_object_name =
      (PFN_vkSetDebugUtilsObjectNameEXT)(void *)vkGetInstanceProcAddr(sample->instance, "vkSetDebugUtilsObjectNameEXT");
   sample->begin_label =
      (PFN_vkCmdBeginDebugUtilsLabelEXT)(void *)vkGetInstanceProcAddr(sample->instance, "vkCmdBeginDebugUtilsLabelEXT");
   sample->end_label =
      (PFN_vkCmdEndDebugUtilsLabelEXT)(void *)vkGetInstanceProcAddr(sample->instance, "vkCmdEndDebugUtilsLabelEXT");
}

static void
pick_physical_device(struct sample *sample, const struct options *options)
{
   VkPhysicalDevice devices[MAX_DEVICES];
   uint32_t count = MAX_DEVICES;
   VkResult result = vkEnumeratePhysicalDevices(sample->instance, &count, devices);
   if (result != VK_INCOMPLETE)
      sample_check(sample, result, "vkEnumeratePhysicalDevices");
   for (uint32_t i = 0; i < count; i++) {
      VkPhysicalDeviceProperties properties;
      vkGetPhysicalDeviceProperties(devices[i], &properties);
      bool wanted = !options->device || strstr(properties.deviceName, options->device);
      if (wanted && properties.apiVersion >= VK_API_VERSION_1_3) {
         sample->physical_device = devices[i];
         return;
      }
   }
   fail(sample, "no Vulkan 1.3 device%s", options->device ? " of that name" : "");
}

/* The first family that does compute, with graphics (general) or without (compute). */
static void
pick_queue_family(struct sample *sample, const struct options *options)
{
   VkQueueFamilyProperties families[MAX_QUEUE_FAMILIES];
   uint32_t count = MAX_QUEUE_FAMILIES;
   vkGetPhysicalDeviceQueueFamilyProperties(sample->physical_device, &count, families);
   for (uint32_t i = 0; i < count; i++) {
      bool general = families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;
      if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT && general != options->compute_queue) {
         sample->queue_family = i;
         sample->queue_count = families[i].queueCount < SAMPLE_MAX_QUEUES ? families[i].queueCount : SAMPLE_MAX_QUEUES;
         return;
      }
   }
   fail(sample, "the device has no %s queue", options->compute_queue ? "compute" : "general");
}

static uint32_t
pick_memory_type(const struct sample *sample)
{
   const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
   VkPhysicalDeviceMemoryProperties properties;
   vkGetPhysicalDeviceMemoryProperties(sample->physical_device, &properties);
   for (uint32_t i = 0; i < properties.memoryTypeCount; i++) {
      /* Only these two flags or DEVICE_LOCAL: AMD's device-coherent types need a feature of their own. */
      VkMemoryPropertyFlags flags = properties.memoryTypes[i].propertyFlags & ~VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
      if ((flags & wanted) == wanted && !(flags & ~(wanted | VK_MEMORY_PROPERTY_HOST_CACHED_BIT)))
         return i;
   }
   fail(sample, "the device has no memory that the CPU can see%s", "");
}

static void
create_device(struct sample *sample)
{
   const float priorities[SAMPLE_MAX_QUEUES] = {1.0f, 1.0f};
   VkPhysicalDeviceSynchronization2Features synchronization2 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES,
      .synchronization2 = VK_TRUE,
   };
   VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
      .pNext = &synchronization2,
      .timelineSemaphore = VK_TRUE,
   };
   VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &timeline,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos =
         &(VkDeviceQueueCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = sample->queue_family,
            .queueCount = sample->queue_count,
            .pQueuePriorities = priorities,
         },
   };
   SAMPLE_CALL(sample, vkCreateDevice, sample->physical_device, &info, NULL, &sample->device);
   for (uint32_t i = 0; i < sample->queue_count; i++)
      vkGetDeviceQueue(sample->device, sample->queue_family, i, &sample->queues[i]);
   sample->queue = sample->queues[0];
}

void
sample_init(struct sample *sample, const char *name, uint32_t default_n, int argc, char **argv)
{
   struct options options = {0};
   *sample = (struct sample){.name = name, .n = default_n};
   parse_options(sample, &options, argc, argv);
   create_instance(sample);
   pick_physical_device(sample, &options);
   pick_queue_family(sample, &options);
   create_device(sample);

   VkCommandPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .queueFamilyIndex = sample->queue_family,
   };
   SAMPLE_CALL(sample, vkCreateCommandPool, sample->device, &pool_info, NULL, &sample->command_pool);
}

void
sample_finish(struct sample *sample)
{
   vkDestroyCommandPool(sample->device, sample->command_pool, NULL);
   vkDestroyDevice(sample->device, NULL);
   vkDestroyInstance(sample->instance, NULL);
}

void
sample_set_name(const struct sample *sample, VkObjectType type, uint64_t object, const char *name)
{
   if (!sample->set_object_name)
      return;
   VkDebugUtilsObjectNameInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
      .objectType = type,
      .objectHandle = object,
      .pObjectName = name,
   };
   SAMPLE_CALL(sample, sample->set_object_name, sample->device, &info);
}

void
sample_buffer_init(struct sample_buffer *buffer, const struct sample *sample, VkDeviceSize size)
{
   VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = size,
      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
   };
   *buffer = (struct sample_buffer){.size = size};
   SAMPLE_CALL(sample, vkCreateBuffer, sample->device, &info, NULL, &buffer->buffer);

   VkMemoryRequirements requirements;
   vkGetBufferMemoryRequirements(sample->device, buffer->buffer, &requirements);
   uint32_t memory_type = pick_memory_type(sample);
   if (!(requirements.memoryTypeBits & 1u << memory_type))
      fail(sample, "storage buffers can't be in memory that the CPU can see%s", "");
   VkMemoryAllocateInfo memory_info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .allocationSize = requirements.size,
      .memoryTypeIndex = memory_type,
   };
   SAMPLE_CALL(sample, vkAllocateMemory, sample->device, &memory_info, NULL, &buffer->memory);
   SAMPLE_CALL(sample, vkBindBufferMemory, sample->device, buffer->buffer, buffer->memory, 0);
   SAMPLE_CALL(sample, vkMapMemory, sample->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->map);
}

void
sample_buffer_finish(struct sample_buffer *buffer, const struct sample *sample)
{
   vkDestroyBuffer(sample->device, buffer->buffer, NULL);
   vkFreeMemory(sample->device, buffer->memory, NULL);
}

static void
create_kernel_layouts(struct sample_kernel *kernel, const struct sample *sample)
{
   VkDescriptorSetLayoutBinding bindings[SAMPLE_MAX_BUFFERS];
   for (uint32_t i = 0; i < kernel->buffer_count; i++) {
      bindings[i] = (VkDescriptorSetLayoutBinding){
         .binding = i,
         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
         .descriptorCount = 1,
         .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
      };
   }
   VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = kernel->buffer_count,
      .pBindings = bindings,
   };
   SAMPLE_CALL(sample, vkCreateDescriptorSetLayout, sample->device, &set_info, NULL, &kernel->set_layout);

   VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = 1,
      .pSetLayouts = &kernel->set_layout,
      .pushConstantRangeCount = kernel->push_constant_size ? 1 : 0,
      .pPushConstantRanges =
         &(VkPushConstantRange){
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
            .size = kernel->push_constant_size,
         },
   };
   SAMPLE_CALL(sample, vkCreatePipelineLayout, sample->device, &layout_info, NULL, &kernel->layout);
}

void
sample_kernel_init(struct sample_kernel *kernel, const struct sample *sample, const struct sample_kernel_info *info)
{
   *kernel = (struct sample_kernel){
      .buffer_count = info->buffer_count,
      .push_constant_size = info->push_constant_size,
   };
   create_kernel_layouts(kernel, sample);

   VkShaderModule module;
   VkShaderModuleCreateInfo module_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = info->spirv_size,
      .pCode = info->spirv,
   };
   SAMPLE_CALL(sample, vkCreateShaderModule, sample->device, &module_info, NULL, &module);
   VkComputePipelineCreateInfo pipeline_info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
         },
      .layout = kernel->layout,
   };
   SAMPLE_CALL(sample, vkCreateComputePipelines, sample->device, VK_NULL_HANDLE, 1, &pipeline_info, NULL,
               &kernel->pipeline);
   vkDestroyShaderModule(sample->device, module, NULL);
   sample_set_name(sample, VK_OBJECT_TYPE_PIPELINE, (uint64_t)kernel->pipeline, info->name);

   VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = info->max_sets,
      .poolSizeCount = info->buffer_count ? 1 : 0,
      .pPoolSizes =
         &(VkDescriptorPoolSize){
            .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = info->max_sets * info->buffer_count,
         },
   };
   SAMPLE_CALL(sample, vkCreateDescriptorPool, sample->device, &pool_info, NULL, &kernel->descriptor_pool);
}

void
sample_kernel_finish(struct sample_kernel *kernel, const struct sample *sample)
{
   vkDestroyDescriptorPool(sample->device, kernel->descriptor_pool, NULL);
   vkDestroyPipeline(sample->device, kernel->pipeline, NULL);
   vkDestroyPipelineLayout(sample->device, kernel->layout, NULL);
   vkDestroyDescriptorSetLayout(sample->device, kernel->set_layout, NULL);
}

VkDescriptorSet
sample_kernel_set(const struct sample_kernel *kernel, const struct sample *sample,
                  const struct sample_buffer *const *buffers)
{
   VkDescriptorSet set;
   VkDescriptorSetAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = kernel->descriptor_pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &kernel->set_layout,
   };
   SAMPLE_CALL(sample, vkAllocateDescriptorSets, sample->device, &info, &set);

   VkDescriptorBufferInfo buffer_infos[SAMPLE_MAX_BUFFERS];
   VkWriteDescriptorSet writes[SAMPLE_MAX_BUFFERS];
   for (uint32_t i = 0; i < kernel->buffer_count; i++) {
      buffer_infos[i] = (VkDescriptorBufferInfo){buffers[i]->buffer, 0, VK_WHOLE_SIZE};
      writes[i] = (VkWriteDescriptorSet){
         .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstSet = set,
         .dstBinding = i,
         .descriptorCount = 1,
         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
         .pBufferInfo = &buffer_infos[i],
      };
   }
   vkUpdateDescriptorSets(sample->device, kernel->buffer_count, writes, 0, NULL);
   return set;
}

VkCommandBuffer
sample_begin(const struct sample *sample)
{
   VkCommandBuffer commands;
   VkCommandBufferAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = sample->command_pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1,
   };
   SAMPLE_CALL(sample, vkAllocateCommandBuffers, sample->device, &info, &commands);
   VkCommandBufferBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   SAMPLE_CALL(sample, vkBeginCommandBuffer, commands, &begin_info);
   return commands;
}

void
sample_dispatch(const struct sample *sample, VkCommandBuffer commands, const struct sample_kernel *kernel,
                VkDescriptorSet set, const void *push_constants, uint32_t groups, const char *label)
{
   VkPhysicalDeviceProperties properties;
   vkGetPhysicalDeviceProperties(sample->physical_device, &properties);
   if (groups > properties.limits.maxComputeWorkGroupCount[0])
      fail(sample, "-n is too large for %s: it does not take so many workgroups", properties.deviceName);
   if (sample->begin_label) {
      VkDebugUtilsLabelEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = label};
      sample->begin_label(commands, &info);
   }
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1, &set, 0, NULL);
   if (kernel->push_constant_size)
      vkCmdPushConstants(commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, kernel->push_constant_size,
                         push_constants);
   vkCmdDispatch(commands, groups, 1, 1);
   if (sample->end_label)
      sample->end_label(commands);
}

void
sample_barrier(VkCommandBuffer commands)
{
   VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                        &barrier, 0, NULL, 0, NULL);
}

void
sample_submit(const struct sample *sample, VkCommandBuffer commands)
{
   VkMemoryBarrier to_host = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                        NULL, 0, NULL);
   SAMPLE_CALL(sample, vkEndCommandBuffer, commands);

   VkFence fence;
   VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
   };
   SAMPLE_CALL(sample, vkCreateFence, sample->device, &fence_info, NULL, &fence);
   SAMPLE_CALL(sample, vkQueueSubmit, sample->queue, 1, &info, fence);
   SAMPLE_CALL(sample, vkWaitForFences, sample->device, 1, &fence, VK_TRUE, UINT64_MAX);
   vkDestroyFence(sample->device, fence, NULL);
   vkFreeCommandBuffers(sample->device, sample->command_pool, 1, &commands);
}

int
sample_report(const struct sample *sample, uint32_t right, uint32_t n)
{
   printf("%s: %" PRIu32 " of %" PRIu32 " right\n", sample->name, right, n);
   return right == n ? 0 : 1;
}
