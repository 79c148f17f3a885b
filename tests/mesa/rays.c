/* SPDX-License-Identifier: MIT */
/*
 * The fork's machine code of the stages that trace rays is the stock driver's, byte for byte: without the layer, and
 * with reporting on. They are compiled as one pipeline, as a library, where each stage is compiled by itself, and as a
 * pipeline that links its hit groups from a library, with a traversal shader that has the any-hit and intersection
 * stages in it.
 *
 * usage: rays RAYGEN.spv MISS.spv CLOSEST_HIT.spv ANY_HIT.spv INTERSECTION.spv CALLABLE.spv
 */
#include <stdio.h>
#include <stdlib.h>

#include "codes.h"
#include "driver.h"

enum { RAYGEN, MISS, CLOSEST_HIT, ANY_HIT, INTERSECTION, CALLABLE, STAGES };

#define UNUSED VK_SHADER_UNUSED_KHR

static const VkShaderStageFlagBits stage_bits[STAGES] = {
   VK_SHADER_STAGE_RAYGEN_BIT_KHR,  VK_SHADER_STAGE_MISS_BIT_KHR,         VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR,
   VK_SHADER_STAGE_ANY_HIT_BIT_KHR, VK_SHADER_STAGE_INTERSECTION_BIT_KHR, VK_SHADER_STAGE_CALLABLE_BIT_KHR,
};

/* Stages that follow each other in the above order, and the groups that they make. */
struct part {
   uint32_t first_stage, stage_count, group_count;
   VkRayTracingShaderGroupCreateInfoKHR groups[5];
};

#define GROUP(what, general, closest, any, intersection)                                                            \
   {                                                                                                                \
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,                                          \
      .type = VK_RAY_TRACING_SHADER_GROUP_TYPE_##what##_KHR, .generalShader = general, .closestHitShader = closest, \
      .anyHitShader = any, .intersectionShader = intersection,                                                      \
   }
#define GENERAL(stage) GROUP(GENERAL, stage, UNUSED, UNUSED, UNUSED)

static const struct part all = {
   .stage_count = STAGES,
   .group_count = 5,
   .groups =
      {
         GENERAL(RAYGEN),
         GENERAL(MISS),
         GENERAL(CALLABLE),
         GROUP(TRIANGLES_HIT_GROUP, UNUSED, CLOSEST_HIT, ANY_HIT, UNUSED),
         GROUP(PROCEDURAL_HIT_GROUP, UNUSED, CLOSEST_HIT, UNUSED, INTERSECTION),
      },
};

static const struct part general = {
   .stage_count = CLOSEST_HIT - RAYGEN,
   .group_count = 2,
   .groups = {GENERAL(RAYGEN), GENERAL(MISS)},
};

static const struct part hits = {
   .first_stage = CLOSEST_HIT,
   .stage_count = STAGES - CLOSEST_HIT,
   .group_count = 3,
   .groups =
      {
         GENERAL(CALLABLE - CLOSEST_HIT),
         GROUP(TRIANGLES_HIT_GROUP, UNUSED, 0, ANY_HIT - CLOSEST_HIT, UNUSED),
         GROUP(PROCEDURAL_HIT_GROUP, UNUSED, 0, UNUSED, INTERSECTION - CLOSEST_HIT),
      },
};

static VkPipeline
create_pipeline(struct compiler *compiler, const struct part *part, VkPipelineCreateFlags2 flags, VkPipeline library)
{
   VkPipelineShaderStageCreateInfo stages[STAGES];
   for (uint32_t i = 0; i < part->stage_count; i++) {
      stages[i] = (VkPipelineShaderStageCreateInfo){
         .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = stage_bits[part->first_stage + i],
         .module = compiler->modules[part->first_stage + i],
         .pName = "main",
      };
   }
   const VkPipelineCreateFlags2CreateInfo flags_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO,
      .flags = flags | VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR,
   };
   const VkPipelineLibraryCreateInfoKHR libraries = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
      .libraryCount = library ? 1 : 0,
      .pLibraries = &library,
   };
   const VkRayTracingPipelineInterfaceCreateInfoKHR interface = {
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
      .maxPipelineRayPayloadSize = 64,
      .maxPipelineRayHitAttributeSize = 8,
   };
   const VkRayTracingPipelineCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
      .pNext = &flags_info,
      .stageCount = part->stage_count,
      .pStages = stages,
      .groupCount = part->group_count,
      .pGroups = part->groups,
      .maxPipelineRayRecursionDepth = 1,
      .pLibraryInfo = &libraries,
      .pLibraryInterface = &interface,
      .layout = compiler->layout.layout,
   };
   VkPipeline pipeline;
   if (compiler->driver.CreateRayTracingPipelinesKHR(compiler->device, NULL, NULL, 1, &info, NULL, &pipeline) !=
       VK_SUCCESS) {
      printf("a pipeline was not made\n");
      exit(1);
   }
   return pipeline;
}

enum kind { WHOLE, LIBRARY, LINKED, KINDS };

static void
compile(struct compiler *compiler, unsigned kind, VkPipelineCreateFlags2 flags, struct codes *codes)
{
   const VkPipelineCreateFlags2 library_flags = flags | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
   VkPipeline library = VK_NULL_HANDLE, pipeline;
   switch (kind) {
   case LIBRARY:
      pipeline = create_pipeline(compiler, &all, library_flags, VK_NULL_HANDLE);
      break;
   case LINKED:
      library = create_pipeline(compiler, &hits, library_flags, VK_NULL_HANDLE);
      pipeline = create_pipeline(compiler, &general, flags, library);
      break;
   default:
      pipeline = create_pipeline(compiler, &all, flags, VK_NULL_HANDLE);
   }
   codes_take(&compiler->driver, compiler->device, pipeline, codes);
   compiler->driver.DestroyPipeline(compiler->device, library, NULL);
}

int
main(int argc, char **argv)
{
   static const char *const kinds[KINDS] = {"of all stages", "that is a library", "with a library"};
   /* Five shaders of all stages, one of them traversal; four that are compiled by themselves; and traversal with two.
    */
   const struct codes_test test = {
      .stage_count = STAGES, .kind_count = KINDS, .kinds = kinds, .compile = compile, .at_least = 4 * (5 + 4 + 3)};
   return codes_test_run(&test, argc, argv);
}
