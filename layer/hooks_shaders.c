/* SPDX-License-Identifier: MIT */
/* Hooks: shader code. What can't be SPIR-V is refused here: drivers trust it, as Vulkan lets them, and crash. */
#include <string.h>

#include "hooks.h"

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateShaderModule(VkDevice handle, const VkShaderModuleCreateInfo *info, const VkAllocationCallbacks *allocator,
                         VkShaderModule *module)
{
   struct layer_device *device = layer_device_of(handle);
   *module = VK_NULL_HANDLE;
   if (!layer_spirv_check(info->pCode, info->codeSize, "vkCreateShaderModule"))
      return VK_ERROR_INVALID_SHADER_NV;
   VkResult result = device->next.CreateShaderModule(handle, info, allocator, module);
   if (result == VK_SUCCESS && !device->driver && !layer_inert)
      layer_module_add(device, *module, info);
   return result;
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroyShaderModule(VkDevice handle, VkShaderModule module, const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   if (module && !layer_inert)
      layer_module_remove(device, module);
   device->next.DestroyShaderModule(handle, module, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreatePipelineLayout(VkDevice handle, const VkPipelineLayoutCreateInfo *info,
                           const VkAllocationCallbacks *allocator, VkPipelineLayout *layout)
{
   struct layer_device *device = layer_device_of(handle);
   VkResult result = device->next.CreatePipelineLayout(handle, info, allocator, layout);
   if (result == VK_SUCCESS && !layer_inert)
      layer_push_size_of_layout(device, *layout, info);
   return result;
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroyPipelineLayout(VkDevice handle, VkPipelineLayout layout, const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   if (layout && !layer_inert)
      layer_push_size_forget_layout(device, layout);
   device->next.DestroyPipelineLayout(handle, layout, allocator);
}

static VkResult
refuse_pipelines(uint32_t count, VkPipeline *pipelines)
{
   memset(pipelines, 0, count * sizeof(*pipelines));
   return VK_ERROR_INVALID_SHADER_NV;
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateComputePipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                             const VkComputePipelineCreateInfo *infos, const VkAllocationCallbacks *allocator,
                             VkPipeline *pipelines)
{
   struct layer_device *device = layer_device_of(handle);
   bool good = true;
   for (uint32_t i = 0; i < count; i++)
      good &= layer_spirv_check_stages(&infos[i].stage, 1, "vkCreateComputePipelines");
   if (!good)
      return refuse_pipelines(count, pipelines);
   VkResult result = device->next.CreateComputePipelines(handle, cache, count, infos, allocator, pipelines);
   for (uint32_t i = 0; i < count && !layer_inert; i++) {
      if (pipelines[i])
         layer_push_size_of_pipeline(device, pipelines[i], infos[i].layout);
      if (pipelines[i] && !device->driver)
         layer_stand_in_add(device, pipelines[i], &infos[i].stage);
   }
   return result;
}

/* A part of a pipeline without shaders leaves pStages to chance. */
static uint32_t
count_stages(const VkGraphicsPipelineCreateInfo *info)
{
   const VkGraphicsPipelineLibraryFlagsEXT with_shaders =
      VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
      VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
   for (const VkBaseInStructure *next = info->pNext; next; next = next->pNext) {
      if (next->sType == VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT &&
          !(((const VkGraphicsPipelineLibraryCreateInfoEXT *)(const void *)next)->flags & with_shaders))
         return 0;
   }
   return info->stageCount;
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateGraphicsPipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                              const VkGraphicsPipelineCreateInfo *infos, const VkAllocationCallbacks *allocator,
                              VkPipeline *pipelines)
{
   bool good = true;
   for (uint32_t i = 0; i < count; i++)
      good &= layer_spirv_check_stages(infos[i].pStages, count_stages(&infos[i]), "vkCreateGraphicsPipelines");
   if (!good)
      return refuse_pipelines(count, pipelines);
   return layer_device_of(handle)->next.CreateGraphicsPipelines(handle, cache, count, infos, allocator, pipelines);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateRayTracingPipelinesKHR(VkDevice handle, VkDeferredOperationKHR operation, VkPipelineCache cache,
                                   uint32_t count, const VkRayTracingPipelineCreateInfoKHR *infos,
                                   const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
   bool good = true;
   for (uint32_t i = 0; i < count; i++)
      good &= layer_spirv_check_stages(infos[i].pStages, infos[i].stageCount, "vkCreateRayTracingPipelinesKHR");
   if (!good)
      return refuse_pipelines(count, pipelines);
   struct layer_device *device = layer_device_of(handle);
   VkResult result =
      device->next.CreateRayTracingPipelinesKHR(handle, operation, cache, count, infos, allocator, pipelines);
   /* Others may make them later, and note them then; hdb's has made them by now, deferred or not. */
   bool made = !operation || device->driver;
   for (uint32_t i = 0; i < count && made && !layer_inert; i++) {
      if (pipelines[i])
         layer_push_size_of_pipeline(device, pipelines[i], infos[i].layout);
   }
   return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateShadersEXT(VkDevice handle, uint32_t count, const VkShaderCreateInfoEXT *infos,
                       const VkAllocationCallbacks *allocator, VkShaderEXT *shaders)
{
   bool good = true;
   for (uint32_t i = 0; i < count; i++) {
      if (infos[i].codeType == VK_SHADER_CODE_TYPE_SPIRV_EXT)
         good &= layer_spirv_check(infos[i].pCode, infos[i].codeSize, "vkCreateShadersEXT");
   }
   if (!good) {
      memset(shaders, 0, count * sizeof(*shaders));
      return VK_ERROR_INITIALIZATION_FAILED;
   }
   struct layer_device *device = layer_device_of(handle);
   VkResult result = device->next.CreateShadersEXT(handle, count, infos, allocator, shaders);
   for (uint32_t i = 0; i < count && !layer_inert; i++) {
      if (shaders[i])
         layer_push_size_of_shader(device, shaders[i], &infos[i]);
   }
   return result;
}
