/* SPDX-License-Identifier: MIT */
/*
 * The fork's machine code of the stages that draw is the stock driver's, byte for byte: without the layer, and with
 * reporting on. Each pipeline of vertex and fragment shader is compiled alone, with tessellation, with a geometry
 * shader and with both, optimised and not.
 *
 * usage: stages VERTEX.spv CONTROL.spv EVALUATION.spv GEOMETRY.spv FRAGMENT.spv
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codes.h"
#include "driver.h"

enum { VERTEX, CONTROL, EVALUATION, GEOMETRY, FRAGMENT, STAGES };

enum { TESSELLATES = 1 << 0, HAS_GEOMETRY = 1 << 1, KINDS = 1 << 2 };

static const VkShaderStageFlagBits stage_bits[STAGES] = {
   VK_SHADER_STAGE_VERTEX_BIT,
   VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
   VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
   VK_SHADER_STAGE_GEOMETRY_BIT,
   VK_SHADER_STAGE_FRAGMENT_BIT,
};

static bool
has_stage(unsigned kind, int stage)
{
   switch (stage) {
   case CONTROL:
   case EVALUATION:
      return kind & TESSELLATES;
   case GEOMETRY:
      return kind & HAS_GEOMETRY;
   default:
      return true;
   }
}

static void
compile(struct compiler *compiler, unsigned kind, VkPipelineCreateFlags2 flags, struct codes *codes)
{
   VkPipelineShaderStageCreateInfo stages[STAGES];
   uint32_t stage_count = 0;
   for (int i = 0; i < STAGES; i++) {
      if (has_stage(kind, i))
         stages[stage_count++] = (VkPipelineShaderStageCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = stage_bits[i],
            .module = compiler->modules[i],
            .pName = "main",
         };
   }
   const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
   const VkPipelineRenderingCreateInfo rendering = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
      .colorAttachmentCount = 1,
      .pColorAttachmentFormats = &format,
   };
   const VkPipelineCreateFlags2CreateInfo flags_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO,
      .pNext = &rendering,
      .flags = flags | VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR,
   };
   const VkVertexInputBindingDescription binding = {.stride = 16};
   const VkVertexInputAttributeDescription attribute = {.format = VK_FORMAT_R32G32B32A32_SFLOAT};
   const VkViewport viewport = {.width = 64, .height = 64, .maxDepth = 1};
   const VkRect2D scissor = {.extent = {64, 64}};
   const VkPipelineColorBlendAttachmentState blend = {.colorWriteMask = 0xf};
   const VkGraphicsPipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
      .pNext = &flags_info,
      .stageCount = stage_count,
      .pStages = stages,
      .pVertexInputState =
         &(VkPipelineVertexInputStateCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
            .vertexBindingDescriptionCount = 1,
            .pVertexBindingDescriptions = &binding,
            .vertexAttributeDescriptionCount = 1,
            .pVertexAttributeDescriptions = &attribute,
         },
      .pInputAssemblyState =
         &(VkPipelineInputAssemblyStateCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
            .topology = kind & TESSELLATES ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
         },
      .pTessellationState =
         &(VkPipelineTessellationStateCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
            .patchControlPoints = 3,
         },
      .pViewportState =
         &(VkPipelineViewportStateCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
            .viewportCount = 1,
            .pViewports = &viewport,
            .scissorCount = 1,
            .pScissors = &scissor,
         },
      .pRasterizationState =
         &(VkPipelineRasterizationStateCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
            .lineWidth = 1,
         },
      .pMultisampleState =
         &(VkPipelineMultisampleStateCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
            .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
         },
      .pColorBlendState =
         &(VkPipelineColorBlendStateCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
            .attachmentCount = 1,
            .pAttachments = &blend,
         },
      .layout = compiler->layout.layout,
   };
   VkPipeline pipeline;
   struct driver *driver = &compiler->driver;
   if (driver->CreateGraphicsPipelines(compiler->device, NULL, 1, &info, NULL, &pipeline) != VK_SUCCESS) {
      printf("a pipeline was not made\n");
      exit(1);
   }
   codes_take(driver, compiler->device, pipeline, codes);
}

int
main(int argc, char **argv)
{
   static const char *const kinds[KINDS] = {"of two stages", "that tessellates", "with geometry", "with both"};
   const struct codes_test test = {
      .stage_count = STAGES, .kind_count = KINDS, .kinds = kinds, .compile = compile, .at_least = 40};
   return codes_test_run(&test, argc, argv);
}
