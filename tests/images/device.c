/* SPDX-License-Identifier: MIT */
#include "device.h"

#include <dlfcn.h>
#include <string.h>

enum { MAX_EXTENSIONS = 512, PUSH_BYTES = 64 };

/* ---- the device ---- */

static void
open_driver(struct device *device, const char *path)
{
   void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* never closed: the fork cannot be unloaded */
   if (!library)
      fprintf(stderr, "%s\n", dlerror());
   CHECK(library);
   VkResult (*negotiate)(uint32_t *) =
      (VkResult(*)(uint32_t *))dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
   PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
   uint32_t version = 5;
   CALL(negotiate && get && negotiate(&version));
   const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                          .apiVersion = VK_API_VERSION_1_3};
   const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                      .pApplicationInfo = &application};
   PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
   CALL(create(&info, NULL, &device->instance));
#define X(name)                                                    \
   device->name = (PFN_vk##name)get(device->instance, "vk" #name); \
   CHECK(device->name);
   DEVICE_FUNCTIONS(X)
#undef X
}

/* One that cannot draw if there is one: on it, copies are dispatches. */
static uint32_t
pick_queue_family(struct device *device)
{
   VkQueueFamilyProperties families[16];
   uint32_t count = 16, best = UINT32_MAX;
   device->GetPhysicalDeviceQueueFamilyProperties(device->physical_device, &count, families);
   for (uint32_t i = 0; i < count; i++) {
      bool compute = families[i].queueFlags & VK_QUEUE_COMPUTE_BIT,
           draws = families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;
      if (compute && (best == UINT32_MAX || !draws))
         best = i;
   }
   CHECK(best != UINT32_MAX);
   return best;
}

/* Of these, all that it has. */
static uint32_t
pick_extensions(struct device *device, const char **picked)
{
   static const char *const wanted[] = {
      VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME,        VK_EXT_NON_SEAMLESS_CUBE_MAP_EXTENSION_NAME,
      VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME, VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,
      VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,     VK_KHR_RAY_QUERY_EXTENSION_NAME,
   };
   VkExtensionProperties *extensions = calloc(MAX_EXTENSIONS, sizeof *extensions);
   CHECK(extensions);
   uint32_t count = MAX_EXTENSIONS, found = 0;
   device->EnumerateDeviceExtensionProperties(device->physical_device, NULL, &count, extensions);
   for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
      for (uint32_t i = 0; i < count; i++)
         if (!strcmp(extensions[i].extensionName, wanted[w]))
            picked[found++] = wanted[w];
   free(extensions);
   return found;
}

static void
create_device(struct device *device, uint32_t family)
{
   VkPhysicalDeviceComputeShaderDerivativesFeaturesKHR derivatives = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR};
   VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT seams = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT, .pNext = &derivatives};
   VkPhysicalDeviceCustomBorderColorFeaturesEXT borders = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT, .pNext = &seams};
   VkPhysicalDeviceRayQueryFeaturesKHR rays = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR,
                                               .pNext = &borders};
   VkPhysicalDeviceAccelerationStructureFeaturesKHR structures = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, .pNext = &rays};
   VkPhysicalDeviceVulkan13Features vulkan13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                .pNext = &structures};
   VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                .pNext = &vulkan13};
   VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan12};
   device->GetPhysicalDeviceFeatures2(device->physical_device, &features);
   features.features.robustBufferAccess = false;
   vulkan13.robustImageAccess = false;

   const char *extensions[8];
   const float priority = 1;
   const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                          .queueFamilyIndex = family,
                                          .queueCount = 1,
                                          .pQueuePriorities = &priority};
   const VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &features,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queue,
      .enabledExtensionCount = pick_extensions(device, extensions),
      .ppEnabledExtensionNames = extensions,
   };
   CALL(device->CreateDevice(device->physical_device, &info, NULL, &device->device));
   device->GetDeviceQueue(device->device, family, 0, &device->queue);
}

void
device_open(struct device *device, const char *path)
{
   memset(device, 0, sizeof *device);
   open_driver(device, path);
   uint32_t count = 1;
   VkResult result = device->EnumeratePhysicalDevices(device->instance, &count, &device->physical_device);
   CHECK((result == VK_SUCCESS || result == VK_INCOMPLETE) && count == 1);
   VkPhysicalDeviceProperties properties;
   device->GetPhysicalDeviceProperties(device->physical_device, &properties);
   memcpy(device->name, properties.deviceName, sizeof device->name);
   device->GetPhysicalDeviceMemoryProperties(device->physical_device, &device->memory);
   uint32_t family = pick_queue_family(device);
   create_device(device, family);
   const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                              .queueFamilyIndex = family};
   CALL(device->CreateCommandPool(device->device, &pool_info, NULL, &device->pool));
   const VkCommandBufferAllocateInfo commands_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                      .commandPool = device->pool,
                                                      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                      .commandBufferCount = 1};
   CALL(device->AllocateCommandBuffers(device->device, &commands_info, &device->commands));
}

void
device_close(struct device *device)
{
   device->DestroyCommandPool(device->device, device->pool, NULL);
   device->DestroyDevice(device->device, NULL);
   device->DestroyInstance(device->instance, NULL);
}

/* ---- memory ---- */

VkDeviceMemory
device_allocate(struct device *device, const VkMemoryRequirements *requirements, VkMemoryPropertyFlags wanted)
{
   const VkMemoryPropertyFlags unwanted = VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD; /* needs a feature of its own */
   for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
      VkMemoryPropertyFlags has = device->memory.memoryTypes[i].propertyFlags;
      if (!(requirements->memoryTypeBits >> i & 1) || (has & wanted) != wanted || has & unwanted)
         continue;
      const VkMemoryAllocateInfo info = {
         .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = requirements->size, .memoryTypeIndex = i};
      VkDeviceMemory memory;
      CALL(device->AllocateMemory(device->device, &info, NULL, &memory));
      return memory;
   }
   fprintf(stderr, "no memory of the right type\n");
   exit(1);
}

void
buffer_init(struct device *device, struct buffer *buffer, VkDeviceSize size)
{
   const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = size,
      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
               VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
               VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
               VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR};
   CALL(device->CreateBuffer(device->device, &info, NULL, &buffer->buffer));
   VkMemoryRequirements requirements;
   device->GetBufferMemoryRequirements(device->device, buffer->buffer, &requirements);
   buffer->memory = device_allocate(device, &requirements,
                                    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
   CALL(device->BindBufferMemory(device->device, buffer->buffer, buffer->memory, 0));
   CALL(device->MapMemory(device->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->map));
}

void
buffer_finish(struct device *device, struct buffer *buffer)
{
   device->DestroyBuffer(device->device, buffer->buffer, NULL);
   device->FreeMemory(device->device, buffer->memory, NULL);
}

/* ---- pipelines ---- */

VkPipelineLayout
device_create_layout(struct device *device, VkDescriptorSetLayout set_layout)
{
   const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, PUSH_BYTES};
   const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = 1,
                                            .pSetLayouts = &set_layout,
                                            .pushConstantRangeCount = 1,
                                            .pPushConstantRanges = &range};
   VkPipelineLayout layout;
   CALL(device->CreatePipelineLayout(device->device, &info, NULL, &layout));
   return layout;
}

VkPipeline
device_create_pipeline(struct device *device, VkPipelineLayout layout, const char *spirv_path, uint32_t wave_size)
{
   static uint32_t words[1 << 16];
   FILE *file = fopen(spirv_path, "rb");
   if (!file)
      perror(spirv_path);
   CHECK(file);
   size_t size = fread(words, 1, sizeof words, file);
   CHECK(size && feof(file));
   fclose(file);
   const VkShaderModuleCreateInfo module_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
   VkShaderModule module;
   CALL(device->CreateShaderModule(device->device, &module_info, NULL, &module));
   const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo wave = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = wave_size};
   const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .pNext = wave_size ? &wave : NULL,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main"},
      .layout = layout,
   };
   VkPipeline pipeline;
   CALL(device->CreateComputePipelines(device->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   device->DestroyShaderModule(device->device, module, NULL);
   return pipeline;
}

/* ---- commands ---- */

void
device_begin(struct device *device)
{
   CALL(device->ResetCommandPool(device->device, device->pool, VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT));
   const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   CALL(device->BeginCommandBuffer(device->commands, &info));
}

void
device_barrier(struct device *device)
{
   const VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
   };
   device->CmdPipelineBarrier(device->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                              0, 1, &barrier, 0, NULL, 0, NULL);
}

void
device_submit(struct device *device)
{
   CALL(device->EndCommandBuffer(device->commands));
   const VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &device->commands,
   };
   CALL(device->QueueSubmit(device->queue, 1, &info, VK_NULL_HANDLE));
   CALL(device->QueueWaitIdle(device->queue));
}
