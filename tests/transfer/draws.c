/* SPDX-License-Identifier: MIT */
/*
 * The virtual GPU does not draw: draws are skipped and their pipeline is named once, all around them is done.
 *    draws LAVAPIPE SHADER-DIRECTORY
 */
#include <string.h>
#include <unistd.h>

#include "image.h"

static const struct format rgba8 = {
   .name = "R8G8B8A8_UNORM",
   .format = VK_FORMAT_R8G8B8A8_UNORM,
   .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
   .bytes = 4,
   .width = 1,
   .height = 1,
};
static const struct shape square = {"2D", VK_IMAGE_TYPE_2D, {16, 16, 1}, 1, 1, 1, VK_IMAGE_TILING_OPTIMAL};

static VkPipeline
create_pipeline(struct side *side)
{
   const VkPipelineShaderStageCreateInfo stages[] = {
      {
         .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = gpu_create_module(&side->gpu, "draw.vert"),
         .pName = "main",
      },
      {
         .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = gpu_create_module(&side->gpu, "draw.frag"),
         .pName = "main",
      },
   };
   const VkPipelineVertexInputStateCreateInfo input = {.sType =
                                                          VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
   const VkPipelineInputAssemblyStateCreateInfo assembly = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
   };
   const VkViewport viewport = {0, 0, 16, 16, 0, 1};
   const VkRect2D scissor = {{0, 0}, {16, 16}};
   const VkPipelineViewportStateCreateInfo viewports = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
      .viewportCount = 1,
      .pViewports = &viewport,
      .scissorCount = 1,
      .pScissors = &scissor,
   };
   const VkPipelineRasterizationStateCreateInfo rasterization = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
   const VkPipelineMultisampleStateCreateInfo multisample = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
   const VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 15};
   const VkPipelineColorBlendStateCreateInfo blend = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
      .attachmentCount = 1,
      .pAttachments = &attachment,
   };
   const VkPipelineRenderingCreateInfo rendering = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
      .colorAttachmentCount = 1,
      .pColorAttachmentFormats = &rgba8.format,
   };
   const VkGraphicsPipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
      .pNext = &rendering,
      .stageCount = 2,
      .pStages = stages,
      .pVertexInputState = &input,
      .pInputAssemblyState = &assembly,
      .pViewportState = &viewports,
      .pRasterizationState = &rasterization,
      .pMultisampleState = &multisample,
      .pColorBlendState = &blend,
      .layout = side->gpu.layout,
   };
   VkPipeline pipeline;
   CALL(vkCreateGraphicsPipelines(side->gpu.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   for (unsigned i = 0; i < 2; i++)
      vkDestroyShaderModule(side->gpu.device, stages[i].module, NULL);
   return pipeline;
}

static void
set_name(struct side *side, VkPipeline pipeline, const char *name)
{
   DEVICE_FUNCTION(&side->gpu, SetDebugUtilsObjectNameEXT);
   const VkDebugUtilsObjectNameInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
      .objectType = VK_OBJECT_TYPE_PIPELINE,
      .objectHandle = (uint64_t)pipeline,
      .pObjectName = name,
   };
   CALL(SetDebugUtilsObjectNameEXT(side->gpu.device, &info));
}

/* Twice with each pipeline, within a rendering that clears. */
static void
draw(struct side *side, const struct image *image, const VkPipeline pipelines[2])
{
   const VkImageView view = image_view(side, image, 0, 0, 1);
   const VkRenderingAttachmentInfo attachment = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = view,
      .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      .clearValue.color.float32 = {1, 0, 0, 1},
   };
   const VkRenderingInfo rendering = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
      .renderArea = {{0, 0}, {16, 16}},
      .layerCount = 1,
      .colorAttachmentCount = 1,
      .pColorAttachments = &attachment,
   };
   vkCmdBeginRendering(side->gpu.commands, &rendering);
   for (unsigned i = 0; i < 4; i++) {
      vkCmdBindPipeline(side->gpu.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[i % 2]);
      vkCmdDraw(side->gpu.commands, 4, 1, 0, 0);
   }
   vkCmdEndRendering(side->gpu.commands);
   gpu_barrier(side->gpu.commands);
   image_download(side, image);
   gpu_submit(&side->gpu, side->gpu.commands);
   vkDestroyImageView(side->gpu.device, view, NULL);
}

/* ---- what is reported ---- */

static int true_stderr;

static FILE *
catch_stderr(void)
{
   FILE *caught = tmpfile();
   CHECK(caught);
   true_stderr = dup(STDERR_FILENO);
   dup2(fileno(caught), STDERR_FILENO);
   return caught;
}

static unsigned
count_lines(FILE *caught, const char *with, const char *and)
{
   char line[4096];
   unsigned found = 0;
   rewind(caught);
   while (fgets(line, sizeof(line), caught))
      found += strstr(line, with) && strstr(line, and);
   return found;
}

static void
run(struct side *side, bool draws)
{
   const VkPipeline pipelines[] = {create_pipeline(side), create_pipeline(side)};
   set_name(side, pipelines[0], "green square");
   set_name(side, pipelines[1], "another");

   struct image image;
   FILE *caught = catch_stderr();
   gpu_begin(&side->gpu);
   image_init(side, &image, &rgba8, &square, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
   draw(side, &image, pipelines);
   dup2(true_stderr, STDERR_FILENO);

   const uint32_t pixel = 17 * 14; /* of the quarter that is drawn to, else red */
   CHECK(((const uint32_t *)side->result.map)[pixel] == (draws ? 0xff00ff00 : 0xff0000ff));
   CHECK(((const uint32_t *)side->result.map)[0] == 0xff0000ff);
   CHECK(count_lines(caught, "skipped", "\"green square\"") == !draws);
   CHECK(count_lines(caught, "skipped", "\"another\"") == !draws);
   CHECK(count_lines(caught, "skipped", "") == (draws ? 0 : 2));
   fclose(caught);

   image_finish(side, &image);
   for (unsigned i = 0; i < 2; i++)
      vkDestroyPipeline(side->gpu.device, pipelines[i], NULL);
}

int
main(int argc, char **argv)
{
   static struct side fork, lavapipe;
   CHECK(argc == 3);
   gpu_shaders = argv[2];
   if (!sides_open(&fork, &lavapipe, argv[1]))
      return 77;
   run(&lavapipe, true);
   run(&fork, false);
   sides_close(&fork, &lavapipe);
   return side_complaints ? 1 : 0;
}
