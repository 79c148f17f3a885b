/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define MAX_DEVICES 16
#define MAX_QUEUE_FAMILIES 16
#define MAX_EXTENSIONS 256
#define MAX_WANTED 8

enum queue_choice { QUEUE_GENERAL, QUEUE_COMPUTE, QUEUE_COMPUTE_IF_ANY };

struct options {
   const char *device;
   enum queue_choice queue;
   const char *const *instance_extensions, *const *device_extensions; /* NULL ends them; or NULL: none */
};

_Noreturn void
sample_fail(const struct sample *sample, const char *format, const char *detail)
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
      sample_fail(sample, "-n takes a number from 1 to 67108864, not '%s'", text);
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
         sample_fail(sample, "unknown option '%s'; options are --queue general|compute, --device NAME, -n ELEMENTS",
                     option);
      if (!value)
         sample_fail(sample, "%s needs a value", option);
      i++;
      if (!strcmp(option, "-n")) {
         sample->n = parse_count(sample, value);
      } else if (!strcmp(option, "--device")) {
         options->device = value;
      } else {
         options->queue = !strcmp(value, "compute") ? QUEUE_COMPUTE : QUEUE_GENERAL;
         if (options->queue == QUEUE_GENERAL && strcmp(value, "general"))
            sample_fail(sample, "--queue takes general or compute, not '%s'", value);
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

static uint32_t
count_names(const char *const *names)
{
   uint32_t count = 0;
   while (names && names[count] && count < MAX_WANTED - 1)
      count++;
   return count;
}

static void
create_instance(struct sample *sample, const struct options *options)
{
   const char *names[MAX_WANTED];
   uint32_t count = count_names(options->instance_extensions);
   bool with_debug_utils = has_debug_utils(sample);
   VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pApplicationInfo =
         &(VkApplicationInfo){
            .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
            .pApplicationName = sample->name,
            .apiVersion = VK_API_VERSION_1_3,
         },
      .ppEnabledExtensionNames = names,
   };
   for (uint32_t i = 0; i < count; i++)
      names[i] = options->instance_extensions[i];
   if (with_debug_utils)
      names[count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
   info.enabledExtensionCount = count;
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
   sample_fail(sample, "no Vulkan 1.3 device%s", options->device ? " of that name" : "");
}

/* The first family that does compute, with graphics or without. */
static bool
find_queue_family(struct sample *sample, bool graphics)
{
   VkQueueFamilyProperties families[MAX_QUEUE_FAMILIES];
   uint32_t count = MAX_QUEUE_FAMILIES;
   vkGetPhysicalDeviceQueueFamilyProperties(sample->physical_device, &count, families);
   for (uint32_t i = 0; i < count; i++) {
      bool has_graphics = families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;
      if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT && has_graphics == graphics) {
         sample->queue_family = i;
         sample->queue_count = families[i].queueCount < SAMPLE_MAX_QUEUES ? families[i].queueCount : SAMPLE_MAX_QUEUES;
         return true;
      }
   }
   return false;
}

static void
pick_queue_family(struct sample *sample, const struct options *options)
{
   bool found = find_queue_family(sample, options->queue == QUEUE_GENERAL);
   if (!found && options->queue == QUEUE_COMPUTE_IF_ANY)
      found = find_queue_family(sample, true);
   if (!found)
      sample_fail(sample, "the device has no %s queue", options->queue == QUEUE_GENERAL ? "general" : "compute");
}

uint32_t
sample_memory_type(const struct sample *sample, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
   /* AMD's device-coherent types and protected ones need features of their own. */
   const VkMemoryPropertyFlags plain = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
   VkPhysicalDeviceMemoryProperties properties;
   vkGetPhysicalDeviceMemoryProperties(sample->physical_device, &properties);
   for (uint32_t i = 0; i < properties.memoryTypeCount; i++) {
      VkMemoryPropertyFlags flags = properties.memoryTypes[i].propertyFlags;
      if (allowed >> i & 1 && (flags & wanted) == wanted && !(flags & ~plain))
         return i;
   }
   sample_fail(sample, "the device has no memory of the right type%s", "");
}

static void
create_device(struct sample *sample, const struct options *options)
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
   VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
      .pNext = &timeline,
      .bufferDeviceAddress = VK_TRUE,
   };
   VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &addresses,
      .enabledExtensionCount = count_names(options->device_extensions),
      .ppEnabledExtensionNames = options->device_extensions,
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

static void
init(struct sample *sample, const char *name, uint32_t default_n, struct options options, int argc, char **argv)
{
   *sample = (struct sample){.name = name, .n = default_n};
   parse_options(sample, &options, argc, argv);
   create_instance(sample, &options);
   pick_physical_device(sample, &options);
   pick_queue_family(sample, &options);
   create_device(sample, &options);

   VkCommandPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .queueFamilyIndex = sample->queue_family,
   };
   SAMPLE_CALL(sample, vkCreateCommandPool, sample->device, &pool_info, NULL, &sample->command_pool);
}

void
sample_init(struct sample *sample, const char *name, uint32_t default_n, int argc, char **argv)
{
   init(sample, name, default_n, (struct options){.queue = QUEUE_GENERAL}, argc, argv);
}

void
sample_init_on_compute(struct sample *sample, const char *name, uint32_t default_n, int argc, char **argv)
{
   init(sample, name, default_n, (struct options){.queue = QUEUE_COMPUTE_IF_ANY}, argc, argv);
}

void
sample_init_with(struct sample *sample, const char *name, uint32_t default_n, const char *const *instance_extensions,
                 const char *const *device_extensions, int argc, char **argv)
{
   struct options options = {
      .queue = QUEUE_GENERAL,
      .instance_extensions = instance_extensions,
      .device_extensions = device_extensions,
   };
   init(sample, name, default_n, options, argc, argv);
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
      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
   };
   *buffer = (struct sample_buffer){.size = size};
   SAMPLE_CALL(sample, vkCreateBuffer, sample->device, &info, NULL, &buffer->buffer);

   VkMemoryRequirements requirements;
   vkGetBufferMemoryRequirements(sample->device, buffer->buffer, &requirements);
   VkMemoryAllocateFlagsInfo flags_info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
   };
   VkMemoryAllocateInfo memory_info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .pNext = &flags_info,
      .allocationSize = requirements.size,
      .memoryTypeIndex = sample_memory_type(sample, requirements.memoryTypeBits,
                                            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
   };
   SAMPLE_CALL(sample, vkAllocateMemory, sample->device, &memory_info, NULL, &buffer->memory);
   SAMPLE_CALL(sample, vkBindBufferMemory, sample->device, buffer->buffer, buffer->memory, 0);
   SAMPLE_CALL(sample, vkMapMemory, sample->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->map);
   VkBufferDeviceAddressInfo address_info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
      .buffer = buffer->buffer,
   };
   buffer->address = vkGetBufferDeviceAddress(sample->device, &address_info);
}

void
sample_buffer_finish(struct sample_buffer *buffer, const struct sample *sample)
{
   vkDestroyBuffer(sample->device, buffer->buffer, NULL);
   vkFreeMemory(sample->device, buffer->memory, NULL);
}

uint32_t
sample_edge(const struct sample *sample)
{
   uint32_t edge = 1;
   while (edge * edge < sample->n)
      edge++;
   return edge;
}

int
sample_report(const struct sample *sample, uint32_t right, uint32_t n)
{
   printf("%s: %" PRIu32 " of %" PRIu32 " right\n", sample->name, right, n);
   return right == n ? 0 : 1;
}
