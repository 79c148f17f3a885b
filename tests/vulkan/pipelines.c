/* SPDX-License-Identifier: MIT */
/* Compute without pipelines, and pipelines without SPIR-V. */
#include <string.h>

#include "gpu.h"
#include "test.h"

struct store_push {
   uint64_t to;
   uint32_t factor, base;
};

enum { WORDS = 1024 };

static void
check_stored(const struct buffer *buffer, uint32_t factor, uint32_t base)
{
   for (uint32_t i = 0; i < WORDS; i++)
      CHECK_EQUAL(((uint32_t *)buffer->map)[i], i * factor + base);
}

/* ---- VK_EXT_shader_object ---- */

static VkShaderEXT
create_shader(struct gpu *gpu, VkShaderCodeTypeEXT type, const void *code, size_t size)
{
   const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, GPU_PUSH_BYTES};
   const VkShaderCreateInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
      .codeType = type,
      .codeSize = size,
      .pCode = code,
      .pName = "main",
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &push,
   };
   DEVICE_FUNCTION(gpu, CreateShadersEXT);
   VkShaderEXT shader;
   CALL(CreateShadersEXT(gpu->device, 1, &info, NULL, &shader));
   return shader;
}

static void
check_shader(struct gpu *gpu, VkShaderEXT shader, uint32_t factor)
{
   struct buffer to;
   buffer_init(gpu, &to, WORDS * 4, 0);
   const struct store_push push = {to.address, factor, 1};
   const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
   DEVICE_FUNCTION(gpu, CmdBindShadersEXT);
   const VkCommandBuffer commands = gpu_begin(gpu);
   CmdBindShadersEXT(commands, 1, &stage, &shader);
   vkCmdPushConstants(commands, gpu->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
   vkCmdDispatch(commands, WORDS / 64, 1, 1);
   gpu_submit(gpu, commands);
   check_stored(&to, factor, 1);
   buffer_finish(gpu, &to);
}

static bool
shader_object(void)
{
   VkPhysicalDeviceShaderObjectFeaturesEXT features = {.sType =
                                                          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT};
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_SHADER_OBJECT_EXTENSION_NAME, &features))
      return false;
   DEVICE_FUNCTION(&gpu, GetShaderBinaryDataEXT);
   DEVICE_FUNCTION(&gpu, DestroyShaderEXT);
   struct spirv spirv = spirv_read("store.comp");
   const VkShaderEXT shader = create_shader(&gpu, VK_SHADER_CODE_TYPE_SPIRV_EXT, spirv.words, spirv.size);
   free(spirv.words);
   check_shader(&gpu, shader, 3);

   size_t size;
   CALL(GetShaderBinaryDataEXT(gpu.device, shader, &size, NULL));
   void *binary = aligned_alloc(64, (size + 63) / 64 * 64);
   CHECK(binary);
   CALL(GetShaderBinaryDataEXT(gpu.device, shader, &size, binary));
   DestroyShaderEXT(gpu.device, shader, NULL);
   const VkShaderEXT again = create_shader(&gpu, VK_SHADER_CODE_TYPE_BINARY_EXT, binary, size);
   free(binary);
   check_shader(&gpu, again, 5);
   DestroyShaderEXT(gpu.device, again, NULL);
   gpu_close(&gpu);
   return true;
}

/* ---- VK_KHR_pipeline_binary ---- */

static VkPipeline
create_pipeline(struct gpu *gpu, VkShaderModule module, VkPipelineCreateFlags2KHR flags,
                const VkPipelineBinaryInfoKHR *binaries)
{
   const VkPipelineCreateFlags2CreateInfoKHR flags_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
      .pNext = binaries,
      .flags = flags,
   };
   const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .pNext = &flags_info,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
         },
      .layout = gpu->layout,
   };
   VkPipeline pipeline;
   CALL(vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   return pipeline;
}

static void
check_pipeline(struct gpu *gpu, VkPipeline pipeline, uint32_t factor)
{
   struct buffer to;
   buffer_init(gpu, &to, WORDS * 4, 0);
   const struct store_push push = {to.address, factor, 2};
   gpu_run(gpu, pipeline, &push, sizeof(push), WORDS / 64);
   check_stored(&to, factor, 2);
   buffer_finish(gpu, &to);
}

/* A copy of the pipeline's only binary by its key and data. */
static VkPipelineBinaryKHR
copy_binary(struct gpu *gpu, VkPipeline pipeline)
{
   DEVICE_FUNCTION(gpu, CreatePipelineBinariesKHR);
   DEVICE_FUNCTION(gpu, GetPipelineBinaryDataKHR);
   DEVICE_FUNCTION(gpu, DestroyPipelineBinaryKHR);
   const VkPipelineBinaryCreateInfoKHR of_pipeline = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR,
      .pipeline = pipeline,
   };
   VkPipelineBinaryKHR binary, copy;
   VkPipelineBinaryHandlesInfoKHR handles = {.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR};
   CALL(CreatePipelineBinariesKHR(gpu->device, &of_pipeline, NULL, &handles));
   CHECK_EQUAL(handles.pipelineBinaryCount, 1);
   handles.pPipelineBinaries = &binary;
   CALL(CreatePipelineBinariesKHR(gpu->device, &of_pipeline, NULL, &handles));

   const VkPipelineBinaryDataInfoKHR what = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_DATA_INFO_KHR,
      .pipelineBinary = binary,
   };
   VkPipelineBinaryKeyKHR key = {.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
   VkPipelineBinaryDataKHR data = {0};
   CALL(GetPipelineBinaryDataKHR(gpu->device, &what, &key, &data.dataSize, NULL));
   data.pData = malloc(data.dataSize);
   CHECK(data.pData);
   CALL(GetPipelineBinaryDataKHR(gpu->device, &what, &key, &data.dataSize, data.pData));
   DestroyPipelineBinaryKHR(gpu->device, binary, NULL);

   const VkPipelineBinaryKeysAndDataKHR keys_and_data = {1, &key, &data};
   const VkPipelineBinaryCreateInfoKHR of_data = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR,
      .pKeysAndDataInfo = &keys_and_data,
   };
   handles.pPipelineBinaries = &copy;
   CALL(CreatePipelineBinariesKHR(gpu->device, &of_data, NULL, &handles));
   free(data.pData);
   return copy;
}

static bool
pipeline_binary(void)
{
   VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR};
   VkPhysicalDevicePipelineBinaryFeaturesKHR features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_BINARY_FEATURES_KHR, .pNext = &maintenance5};
   const struct gpu_options options = {
      .extensions =
         (const char *const[]){VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_KHR_PIPELINE_BINARY_EXTENSION_NAME, NULL},
      .features = &features,
   };
   struct gpu gpu;
   if (!gpu_open(&gpu, &options))
      return false;
   const VkShaderModule module = gpu_create_module(&gpu, "store.comp");
   VkPipeline pipeline = create_pipeline(&gpu, module, VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR, NULL);
   vkDestroyShaderModule(gpu.device, module, NULL);
   check_pipeline(&gpu, pipeline, 7);
   const VkPipelineBinaryKHR binary = copy_binary(&gpu, pipeline);
   vkDestroyPipeline(gpu.device, pipeline, NULL);

   const VkPipelineBinaryInfoKHR binaries = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR,
      .binaryCount = 1,
      .pPipelineBinaries = &binary,
   };
   pipeline = create_pipeline(&gpu, VK_NULL_HANDLE, 0, &binaries);
   check_pipeline(&gpu, pipeline, 9);
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   DEVICE_FUNCTION(&gpu, DestroyPipelineBinaryKHR);
   DestroyPipelineBinaryKHR(gpu.device, binary, NULL);
   gpu_close(&gpu);
   return true;
}

/* ---- pipeline caches ---- */

static VkPipelineCache
create_cache(struct gpu *gpu, size_t size, const void *data)
{
   const VkPipelineCacheCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
      .initialDataSize = size,
      .pInitialData = data,
   };
   VkPipelineCache cache;
   CALL(vkCreatePipelineCache(gpu->device, &info, NULL, &cache));
   return cache;
}

static VkResult
create_from_cache(struct gpu *gpu, VkPipelineCache cache, VkPipelineCreateFlags flags, VkPipeline *pipeline)
{
   const VkShaderModule module = gpu_create_module(gpu, "store.comp");
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
      .layout = gpu->layout,
   };
   const VkResult result = vkCreateComputePipelines(gpu->device, cache, 1, &info, NULL, pipeline);
   vkDestroyShaderModule(gpu->device, module, NULL);
   return result;
}

/* What a cache gave out is enough to create the pipeline without compiling. */
static bool
pipeline_cache(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   VkPipelineCache cache = create_cache(&gpu, 0, NULL);
   VkPipeline pipeline;
   CALL(create_from_cache(&gpu, cache, 0, &pipeline));
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   size_t size;
   CALL(vkGetPipelineCacheData(gpu.device, cache, &size, NULL));
   void *data = malloc(size);
   CHECK(data);
   CALL(vkGetPipelineCacheData(gpu.device, cache, &size, data));
   vkDestroyPipelineCache(gpu.device, cache, NULL);
   gpu_close(&gpu);

   CHECK(gpu_open(&gpu, NULL));
   cache = create_cache(&gpu, size, data);
   free(data);
   CALL(create_from_cache(&gpu, cache, gpu.is_virtual ? VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT : 0,
                          &pipeline));
   check_pipeline(&gpu, pipeline, 11);
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   vkDestroyPipelineCache(gpu.device, cache, NULL);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "pipeline cache", .run = pipeline_cache},
   {.name = "pipeline binary", .run = pipeline_binary, .not_validated = true},
   {.name = "shader object", .run = shader_object, .not_validated = true},
   {.name = NULL},
};
