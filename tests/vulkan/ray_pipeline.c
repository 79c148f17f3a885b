/* SPDX-License-Identifier: MIT */
#include "ray_pipeline.h"

#include <string.h>

enum { RAYGEN, MISS_SHADER, CLOSEST_HIT, ANY_HIT, INTERSECTION, CALLABLE, STAGES };
enum { RAYGEN_GROUP, MISS_GROUP, TRIANGLE_GROUP, BOX_GROUP, CALLABLE_GROUP, GROUPS };

struct ray_part {
   uint32_t stage, stage_count, group, group_count;
};
const struct ray_part ray_whole = {RAYGEN, STAGES, RAYGEN_GROUP, GROUPS};
const struct ray_part ray_main = {RAYGEN, CLOSEST_HIT, RAYGEN_GROUP, TRIANGLE_GROUP};
const struct ray_part ray_library = {CLOSEST_HIT, STAGES - CLOSEST_HIT, TRIANGLE_GROUP, GROUPS - TRIANGLE_GROUP};

/* The stages from `first` on, by number in that part; those before it are none. */
static VkRayTracingShaderGroupCreateInfoKHR
group(VkRayTracingShaderGroupTypeKHR type, uint32_t first, uint32_t general, uint32_t closest, uint32_t any,
      uint32_t intersection)
{
   return (VkRayTracingShaderGroupCreateInfoKHR){
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
      .type = type,
      .generalShader = general < STAGES ? general - first : VK_SHADER_UNUSED_KHR,
      .closestHitShader = closest < STAGES ? closest - first : VK_SHADER_UNUSED_KHR,
      .anyHitShader = any < STAGES ? any - first : VK_SHADER_UNUSED_KHR,
      .intersectionShader = intersection < STAGES ? intersection - first : VK_SHADER_UNUSED_KHR,
   };
}

/* As programs do that could have several threads help; the driver may also do all of it at once. */
static VkPipeline
create_deferred(struct gpu *gpu, const VkRayTracingPipelineCreateInfoKHR *info)
{
   DEVICE_FUNCTION(gpu, CreateDeferredOperationKHR);
   DEVICE_FUNCTION(gpu, CreateRayTracingPipelinesKHR);
   DEVICE_FUNCTION(gpu, DeferredOperationJoinKHR);
   DEVICE_FUNCTION(gpu, DestroyDeferredOperationKHR);
   DEVICE_FUNCTION(gpu, GetDeferredOperationResultKHR);
   VkDeferredOperationKHR operation;
   VkPipeline pipeline;
   CALL(CreateDeferredOperationKHR(gpu->device, NULL, &operation));
   VkResult result = CreateRayTracingPipelinesKHR(gpu->device, operation, VK_NULL_HANDLE, 1, info, NULL, &pipeline);
   if (result == VK_OPERATION_DEFERRED_KHR) {
      do
         result = DeferredOperationJoinKHR(gpu->device, operation);
      while (result == VK_THREAD_IDLE_KHR);
      CHECK(result == VK_SUCCESS || result == VK_THREAD_DONE_KHR);
      result = GetDeferredOperationResultKHR(gpu->device, operation);
   }
   CHECK(result == VK_SUCCESS || result == VK_OPERATION_NOT_DEFERRED_KHR);
   DestroyDeferredOperationKHR(gpu->device, operation, NULL);
   return pipeline;
}

VkPipeline
ray_pipeline_create(struct gpu *gpu, VkPipelineLayout layout, const struct ray_part *part, VkPipelineCreateFlags flags,
                    VkPipeline library)
{
   static const struct {
      const char *name;
      VkShaderStageFlagBits stage;
   } shaders[STAGES] = {
      [RAYGEN] = {"trace.rgen", VK_SHADER_STAGE_RAYGEN_BIT_KHR},
      [MISS_SHADER] = {"trace.rmiss", VK_SHADER_STAGE_MISS_BIT_KHR},
      [CLOSEST_HIT] = {"trace.rchit", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR},
      [ANY_HIT] = {"trace.rahit", VK_SHADER_STAGE_ANY_HIT_BIT_KHR},
      [INTERSECTION] = {"trace.rint", VK_SHADER_STAGE_INTERSECTION_BIT_KHR},
      [CALLABLE] = {"trace.rcall", VK_SHADER_STAGE_CALLABLE_BIT_KHR},
   };
   VkPipelineShaderStageCreateInfo stages[STAGES];
   for (uint32_t i = 0; i < part->stage_count; i++) {
      stages[i] = (VkPipelineShaderStageCreateInfo){
         .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = shaders[part->stage + i].stage,
         .module = gpu_create_module(gpu, shaders[part->stage + i].name),
         .pName = "main",
      };
   }
   const VkRayTracingShaderGroupTypeKHR general = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
                                        triangle = VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR,
                                        procedural = VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR;
   const uint32_t first = part->stage, none = STAGES;
   const VkRayTracingShaderGroupCreateInfoKHR groups[GROUPS] = {
      [RAYGEN_GROUP] = group(general, first, RAYGEN, none, none, none),
      [MISS_GROUP] = group(general, first, MISS_SHADER, none, none, none),
      [TRIANGLE_GROUP] = group(triangle, first, none, CLOSEST_HIT, ANY_HIT, none),
      [BOX_GROUP] = group(procedural, first, none, CLOSEST_HIT, none, INTERSECTION),
      [CALLABLE_GROUP] = group(general, first, CALLABLE, none, none, none),
   };
   const VkPipelineLibraryCreateInfoKHR libraries = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
      .libraryCount = 1,
      .pLibraries = &library,
   };
   const VkRayTracingPipelineInterfaceCreateInfoKHR interface = {
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
      .maxPipelineRayPayloadSize = sizeof(struct hit),
      .maxPipelineRayHitAttributeSize = 8,
   };
   const bool in_parts = flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR || library;
   const VkRayTracingPipelineCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
      .flags = flags,
      .stageCount = part->stage_count,
      .pStages = stages,
      .groupCount = part->group_count,
      .pGroups = groups + part->group,
      .maxPipelineRayRecursionDepth = 1,
      .pLibraryInfo = library ? &libraries : NULL,
      .pLibraryInterface = in_parts ? &interface : NULL,
      .layout = layout,
   };
   const VkPipeline pipeline = create_deferred(gpu, &info);
   for (uint32_t i = 0; i < part->stage_count; i++)
      vkDestroyShaderModule(gpu->device, stages[i].module, NULL);
   return pipeline;
}

void
binding_table_init(struct gpu *gpu, struct binding_table *table, VkPipeline pipeline)
{
   VkPhysicalDeviceRayTracingPipelinePropertiesKHR rays = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR};
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &rays};
   vkGetPhysicalDeviceProperties2(gpu->physical_device, &properties);
   const uint32_t size = rays.shaderGroupHandleSize;
   const uint32_t stride = size > rays.shaderGroupBaseAlignment ? size : rays.shaderGroupBaseAlignment;
   uint8_t handles[GROUPS * 64];
   CHECK(GROUPS * size <= sizeof(handles));
   DEVICE_FUNCTION(gpu, GetRayTracingShaderGroupHandlesKHR);
   CALL(GetRayTracingShaderGroupHandlesKHR(gpu->device, pipeline, 0, GROUPS, GROUPS * size, handles));

   buffer_init(gpu, &table->buffer, GROUPS * stride, VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR);
   for (uint32_t i = 0; i < GROUPS; i++)
      memcpy((uint8_t *)table->buffer.map + i * stride, handles + i * size, size);
   const VkDeviceAddress base = table->buffer.address;
   table->raygen = (VkStridedDeviceAddressRegionKHR){base + RAYGEN_GROUP * stride, stride, stride};
   table->miss = (VkStridedDeviceAddressRegionKHR){base + MISS_GROUP * stride, stride, stride};
   table->hit = (VkStridedDeviceAddressRegionKHR){base + TRIANGLE_GROUP * stride, stride, 2 * stride};
   table->callable = (VkStridedDeviceAddressRegionKHR){base + CALLABLE_GROUP * stride, stride, stride};
}
