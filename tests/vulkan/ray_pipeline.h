/* SPDX-License-Identifier: MIT */
/* A ray tracing pipeline with a shader for each stage, in one or with a library, and the table of its shaders. */
#ifndef TESTS_VULKAN_RAY_PIPELINE_H
#define TESTS_VULKAN_RAY_PIPELINE_H

#include "scene.h"

static const VkShaderStageFlags ray_stages = VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
                                             VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                                             VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;

/* All of its shaders; those that are no hit shaders; what a library has of them. */
extern const struct ray_part ray_whole, ray_main, ray_library;

/* Groups of the library come after those of the pipeline itself. */
VkPipeline ray_pipeline_create(struct gpu *gpu, VkPipelineLayout layout, const struct ray_part *part,
                               VkPipelineCreateFlags flags, VkPipeline library);

struct binding_table {
   struct buffer buffer;
   VkStridedDeviceAddressRegionKHR raygen, miss, hit, callable;
};

void binding_table_init(struct gpu *gpu, struct binding_table *table, VkPipeline pipeline);

#endif
