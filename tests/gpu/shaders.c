/* SPDX-License-Identifier: MIT */
#include "gpu.h"

const char *gpu_shaders;

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
gpu_create_module_of(const struct gpu *gpu, const struct spirv *spirv)
{
   const VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = spirv->size,
      .pCode = spirv->words,
   };
   VkShaderModule module;
   CALL(vkCreateShaderModule(gpu->device, &info, NULL, &module));
   return module;
}

VkShaderModule
gpu_create_module(const struct gpu *gpu, const char *name)
{
   struct spirv spirv = spirv_read(name);
   const VkShaderModule module = gpu_create_module_of(gpu, &spirv);
   free(spirv.words);
   return module;
}

/* ---- pipelines ---- */

VkPipelineLayout
gpu_create_layout(const struct gpu *gpu, uint32_t set_count, const VkDescriptorSetLayout *sets)
{
   const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, GPU_PUSH_BYTES};
   const VkPipelineLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = set_count,
      .pSetLayouts = sets,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &push,
   };
   VkPipelineLayout layout;
   CALL(vkCreatePipelineLayout(gpu->device, &info, NULL, &layout));
   return layout;
}

VkPipeline
gpu_create_pipeline_of(const struct gpu *gpu, VkPipelineLayout layout, VkShaderModule module,
                       VkPipelineCreateFlags flags, uint32_t wave_size, const VkSpecializationInfo *constants)
{
   const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo wave = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = wave_size,
   };
   const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .flags = flags,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .pNext = wave_size ? &wave : NULL,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
            .pSpecializationInfo = constants,
         },
      .layout = layout,
   };
   VkPipeline pipeline;
   CALL(vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   vkDestroyShaderModule(gpu->device, module, NULL);
   return pipeline;
}

VkPipeline
gpu_create_pipeline(const struct gpu *gpu, VkPipelineLayout layout, const char *name, VkPipelineCreateFlags flags)
{
   return gpu_create_pipeline_of(gpu, layout, gpu_create_module(gpu, name), flags, 0, NULL);
}

void
gpu_dispatch(const struct gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline, const void *push, uint32_t push_size,
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
