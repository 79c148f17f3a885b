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

struct compiler {
   struct driver driver;
   VkDevice device;
   struct pipeline_layout layout;
   VkShaderModule modules[STAGES];
};

static void
compiler_open(struct compiler *compiler, const char *path, const struct hdb_driver_link *link,
              const struct spirv modules[STAGES])
{
   driver_open(&compiler->driver, path);
   compiler->device = driver_create_device(&compiler->driver, link);
   compiler->layout = driver_create_layout(&compiler->driver, compiler->device);
   for (int i = 0; i < STAGES; i++)
      compiler->modules[i] = driver_create_module(&compiler->driver, compiler->device, &modules[i]);
}

static void
compiler_close(struct compiler *compiler)
{
   for (int i = 0; i < STAGES; i++)
      compiler->driver.DestroyShaderModule(compiler->device, compiler->modules[i], NULL);
   driver_destroy_layout(&compiler->driver, compiler->device, &compiler->layout);
   compiler->driver.DestroyDevice(compiler->device, NULL);
   driver_close(&compiler->driver);
}

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

static void
compare(struct compiler *stock, struct compiler *fork, unsigned kind, VkPipelineCreateFlags2 flags, const char *name,
        struct codes_result *result)
{
   static const char *const names[KINDS] = {"of two stages", "that tessellates", "with geometry", "with both"};
   struct codes expected, got;
   compile(stock, kind, flags, &expected);
   compile(fork, kind, flags, &got);
   codes_compare(&expected, &got, name, names[kind], result);
}

static void
shader_seen(void *user, const struct hdb_shader *shader)
{
}

int
main(int argc, char **argv)
{
   if (!driver_fork_path() || !driver_stock_path()) {
      printf("needs the fork and the distribution's RADV\n");
      return 77;
   }
   if (argc != 1 + STAGES)
      return 2;
   setenv("RADV_FORCE_FAMILY", "navi31", 1);
   setenv("RADV_DEBUG", "nocache", 1); /* each driver compiles, none reads what the other wrote */
   setenv("HDB_ENABLE", "1", 1);

   struct spirv modules[STAGES];
   for (int i = 0; i < STAGES; i++)
      modules[i] = spirv_load(argv[1 + i]);
   struct hdb_driver *hdb = NULL;
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .shader_created = shader_seen,
      .shader_destroyed = shader_seen,
      .driver = &hdb,
   };
   struct compiler stock, fork, reporting;
   compiler_open(&stock, driver_stock_path(), NULL, modules);
   compiler_open(&fork, driver_fork_path(), NULL, modules);
   compiler_open(&reporting, driver_fork_path(), &link, modules);
   if (!hdb) {
      printf("the fork does not report\n");
      return 1;
   }

   struct codes_result result = {0};
   for (unsigned kind = 0; kind < KINDS; kind++) {
      for (int optimised = 0; optimised < 2; optimised++) {
         const VkPipelineCreateFlags2 flags = optimised ? 0 : VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT;
         compare(&stock, &fork, kind, flags, "fork", &result);
         compare(&stock, &reporting, kind, flags, "reporting", &result);
      }
   }
   printf("%u shaders compared, %u different\n", result.compared, result.different);

   compiler_close(&reporting);
   compiler_close(&fork);
   compiler_close(&stock);
   for (int i = 0; i < STAGES; i++)
      spirv_free(&modules[i]);
   return result.different > 0 || result.compared < 40;
}
