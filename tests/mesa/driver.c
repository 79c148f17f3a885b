/* SPDX-License-Identifier: MIT */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)                                                 \
   do {                                                                  \
      if (!(condition)) {                                                \
         fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
         exit(1);                                                        \
      }                                                                  \
   } while (0)

const char *
driver_fork_path(void)
{
   const char *path = getenv("HDB_TEST_DRIVER");
   return path && path[0] ? path : NULL;
}

const char *
driver_stock_path(void)
{
   static const char *const path = "/usr/lib/x86_64-linux-gnu/libvulkan_radeon.so";
   return access(path, R_OK) == 0 ? path : NULL;
}

void
driver_open(struct driver *driver, const char *path)
{
   /* Never closed: the fork cannot be unloaded. */
   void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
   if (!library)
      fprintf(stderr, "%s\n", dlerror());
   CHECK(library);

   memset(driver, 0, sizeof(*driver));
   VkResult (*negotiate)(uint32_t *) =
      (VkResult(*)(uint32_t *))dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
   driver->get_instance_proc = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
   uint32_t interface_version = 5;
   CHECK(negotiate && driver->get_instance_proc && negotiate(&interface_version) == VK_SUCCESS);

   const VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pApplicationInfo =
         &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_4},
   };
   PFN_vkCreateInstance create_instance = (PFN_vkCreateInstance)driver->get_instance_proc(NULL, "vkCreateInstance");
   CHECK(create_instance(&info, NULL, &driver->instance) == VK_SUCCESS);

#define X(name)                                                                          \
   driver->name = (PFN_vk##name)driver->get_instance_proc(driver->instance, "vk" #name); \
   CHECK(driver->name);
   DRIVER_FUNCTIONS(X)
#undef X
}

void
driver_close(struct driver *driver)
{
   driver->DestroyInstance(driver->instance, NULL);
}

uint32_t
driver_count_devices(struct driver *driver)
{
   uint32_t count = 0;
   CHECK(driver->EnumeratePhysicalDevices(driver->instance, &count, NULL) == VK_SUCCESS);
   return count;
}

VkPhysicalDevice
driver_first_device(struct driver *driver)
{
   VkPhysicalDevice device;
   uint32_t count = 1;
   VkResult result = driver->EnumeratePhysicalDevices(driver->instance, &count, &device);
   CHECK((result == VK_SUCCESS || result == VK_INCOMPLETE) && count == 1);
   return device;
}

VkDevice
driver_create_device(struct driver *driver, const struct hdb_driver_link *link)
{
   VkPhysicalDevice physical_device = driver_first_device(driver);

   VkPhysicalDevicePipelineBinaryFeaturesKHR binaries = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_BINARY_FEATURES_KHR};
   VkPhysicalDeviceShaderObjectFeaturesEXT objects = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT, .pNext = &binaries};
   VkPhysicalDeviceRayTracingPipelineFeaturesKHR ray_tracing = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR, .pNext = &objects};
   VkPhysicalDeviceVulkan14Features vulkan14 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES,
                                                .pNext = &ray_tracing};
   VkPhysicalDeviceVulkan13Features vulkan13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                .pNext = &vulkan14};
   VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                .pNext = &vulkan13};
   VkPhysicalDeviceVulkan11Features vulkan11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                .pNext = &vulkan12};
   VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan11};

   driver->GetPhysicalDeviceFeatures2(physical_device, &features);
   CHECK(binaries.pipelineBinaries && objects.shaderObject && ray_tracing.rayTracingPipeline);
   binaries.pNext = (void *)link; /* not before: a query must not meet an unknown structure */
   features.features.robustBufferAccess = false;
   vulkan14.pipelineRobustness = false;

   const float priority = 1.0f;
   const VkDeviceQueueCreateInfo queues[2] = {
      {
         .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = 0,
         .queueCount = 1,
         .pQueuePriorities = &priority,
      },
      {
         .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = 1,
         .queueCount = 1,
         .pQueuePriorities = &priority,
      },
   };
   static const char *const extensions[] = {
      VK_KHR_PIPELINE_BINARY_EXTENSION_NAME,          VK_EXT_SHADER_OBJECT_EXTENSION_NAME,
      VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
      VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
   };
   const VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &features,
      .queueCreateInfoCount = 2,
      .pQueueCreateInfos = queues,
      .enabledExtensionCount = sizeof(extensions) / sizeof(extensions[0]),
      .ppEnabledExtensionNames = extensions,
   };
   VkDevice device;
   CHECK(driver->CreateDevice(physical_device, &info, NULL, &device) == VK_SUCCESS);
   return device;
}

struct spirv
spirv_load(const char *path)
{
   FILE *file = fopen(path, "rb");
   if (!file)
      perror(path);
   CHECK(file);
   CHECK(fseek(file, 0, SEEK_END) == 0);
   struct spirv spirv = {.size = (size_t)ftell(file)};
   rewind(file);
   spirv.words = malloc(spirv.size);
   CHECK(spirv.words && fread(spirv.words, 1, spirv.size, file) == spirv.size);
   fclose(file);
   return spirv;
}

void
spirv_free(struct spirv *spirv)
{
   free(spirv->words);
   *spirv = (struct spirv){0};
}

#define STAGES (VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_RAYGEN_BIT_KHR)

struct pipeline_layout
driver_create_layout(struct driver *driver, VkDevice device)
{
   VkDescriptorSetLayoutBinding bindings[6];
   for (uint32_t i = 0; i < 6; i++) {
      bindings[i] = (VkDescriptorSetLayoutBinding){
         .binding = i,
         .descriptorType = i < 4 ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
         .descriptorCount = 1,
         .stageFlags = STAGES,
      };
   }
   VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = 6,
      .pBindings = bindings,
   };
   struct pipeline_layout layout = {.push_constants = {STAGES, 0, 128}};
   CHECK(driver->CreateDescriptorSetLayout(device, &set_info, NULL, &layout.sets[0]) == VK_SUCCESS);

   bindings[0].descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
   set_info.bindingCount = 1;
   CHECK(driver->CreateDescriptorSetLayout(device, &set_info, NULL, &layout.sets[1]) == VK_SUCCESS);

   const VkPipelineLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = 2,
      .pSetLayouts = layout.sets,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &layout.push_constants,
   };
   CHECK(driver->CreatePipelineLayout(device, &info, NULL, &layout.layout) == VK_SUCCESS);
   return layout;
}

void
driver_destroy_layout(struct driver *driver, VkDevice device, struct pipeline_layout *layout)
{
   driver->DestroyPipelineLayout(device, layout->layout, NULL);
   driver->DestroyDescriptorSetLayout(device, layout->sets[0], NULL);
   driver->DestroyDescriptorSetLayout(device, layout->sets[1], NULL);
}

VkShaderModule
driver_create_module(struct driver *driver, VkDevice device, const struct spirv *spirv)
{
   const VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = spirv->size,
      .pCode = spirv->words,
   };
   VkShaderModule module;
   CHECK(driver->CreateShaderModule(device, &info, NULL, &module) == VK_SUCCESS);
   return module;
}

VkPipeline
driver_create_pipeline(struct driver *driver, VkDevice device, VkPipelineLayout layout, const struct spirv *spirv,
                       const struct pipeline_options *options)
{
   VkShaderModule module = driver_create_module(driver, device, spirv);
   const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo wave_size = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = options->wave_size,
   };
   const VkPipelineCreateFlags2CreateInfo flags = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO,
      .flags = options->flags,
   };
   const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .pNext = &flags,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .pNext = options->wave_size ? &wave_size : NULL,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
            .pSpecializationInfo = options->specialization,
         },
      .layout = layout,
   };
   VkPipeline pipeline;
   CHECK(driver->CreateComputePipelines(device, options->cache, 1, &info, NULL, &pipeline) == VK_SUCCESS);
   driver->DestroyShaderModule(device, module, NULL);
   return pipeline;
}

/*
 * RADV's binary of a shader is a header that ends in the sizes of its sections, then the sections; of those, a binary
 * taken from a pipeline has code alone. The header ends in {size of it all, 0, code size, size of the instructions
 * in it, 0, 0, 0, 0}, which the fork follows with the 64-bit size of its own section, 0 without reporting. For ray
 * tracing, another header stands in front, and NIR follows; stages that were only inlined into others have NIR alone.
 * (struct radv_shader_binary_legacy, struct radv_ray_tracing_binary_header)
 */
#define SIZES_WORDS 8
#define MAX_FRONT_HEADER 256 /* bytes */

static bool
is_header_end(const uint32_t *words, size_t size, size_t end, uint32_t facts_size)
{
   const uint32_t total = words[0], code_size = words[2];
   if (total < (uint64_t)code_size + facts_size)
      return false;
   const uint32_t header_size = total - code_size - facts_size;
   return header_size <= end * 4 && end * 4 - header_size <= MAX_FRONT_HEADER && end * 4 - header_size + total <= size;
}

static const uint32_t *
find_code(const uint32_t *words, size_t size, size_t *found_size)
{
   for (size_t i = 0; i + SIZES_WORDS + 2 <= size / 4; i++) {
      const uint32_t *sizes = words + i;
      const uint32_t code_size = sizes[2];
      if (sizes[1] || code_size % 4 || !code_size || sizes[3] > code_size || sizes[4] || sizes[5] || sizes[6] ||
          sizes[7])
         continue;
      *found_size = code_size;
      const size_t stock = i + SIZES_WORDS, fork = stock + 2;
      if (words[fork - 1] == 0 && is_header_end(sizes, size, fork, words[fork - 2]))
         return words + fork;
      if (is_header_end(sizes, size, stock, 0))
         return words + stock;
   }
   return NULL;
}

static struct driver_code
get_code(struct driver *driver, VkDevice device, VkPipelineBinaryKHR binary)
{
   const VkPipelineBinaryDataInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_DATA_INFO_KHR,
      .pipelineBinary = binary,
   };
   VkPipelineBinaryKeyKHR key = {.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
   size_t data_size = 0;
   CHECK(driver->GetPipelineBinaryDataKHR(device, &info, &key, &data_size, NULL) == VK_SUCCESS);
   uint32_t *data = malloc(data_size);
   CHECK(data && driver->GetPipelineBinaryDataKHR(device, &info, &key, &data_size, data) == VK_SUCCESS);

   struct driver_code code = {0};
   size_t size;
   const uint32_t *found = find_code(data, data_size, &size);
   if (found) {
      code = (struct driver_code){malloc(size), size};
      CHECK(code.bytes);
      memcpy(code.bytes, found, size);
   }
   free(data);
   return code;
}

uint32_t
driver_get_codes(struct driver *driver, VkDevice device, VkPipeline pipeline, struct driver_code *codes,
                 uint32_t capacity)
{
   const VkPipelineBinaryCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR,
      .pipeline = pipeline,
   };
   VkPipelineBinaryHandlesInfoKHR handles = {.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR};
   CHECK(driver->CreatePipelineBinariesKHR(device, &info, NULL, &handles) == VK_SUCCESS);
   CHECK(handles.pipelineBinaryCount && handles.pipelineBinaryCount <= capacity && capacity <= DRIVER_MAX_CODES);
   VkPipelineBinaryKHR binaries[DRIVER_MAX_CODES];
   handles.pPipelineBinaries = binaries;
   CHECK(driver->CreatePipelineBinariesKHR(device, &info, NULL, &handles) == VK_SUCCESS);
   for (uint32_t i = 0; i < handles.pipelineBinaryCount; i++) {
      codes[i] = get_code(driver, device, binaries[i]);
      driver->DestroyPipelineBinaryKHR(device, binaries[i], NULL);
   }
   return handles.pipelineBinaryCount;
}

void *
driver_get_code(struct driver *driver, VkDevice device, VkPipeline pipeline, size_t *size)
{
   struct driver_code code;
   driver_get_codes(driver, device, pipeline, &code, 1);
   CHECK(code.size);
   *size = code.size;
   return code.bytes;
}
