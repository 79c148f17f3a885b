/* SPDX-License-Identifier: MIT */
/*
 * What belongs to drawing, and must do no harm where nothing is drawn: queries of it count nothing, and attachments are
 * cleared from secondary command buffers that were recorded without knowing them. On queues with graphics.
 */
#include <string.h>

#include "gpu.h"
#include "test.h"

enum { EDGE = 32 };
static const VkFormat color_format = VK_FORMAT_R8G8B8A8_UNORM, depth_format = VK_FORMAT_D32_SFLOAT;

/* ---- queries ---- */

static VkQueryPool
create_pool(struct gpu *gpu, VkQueryType type, VkQueryPipelineStatisticFlags statistics)
{
   const VkQueryPoolCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
      .queryType = type,
      .queryCount = 1,
      .pipelineStatistics = statistics,
   };
   VkQueryPool pool;
   CALL(vkCreateQueryPool(gpu->device, &info, NULL, &pool));
   return pool;
}

/* By the host and by the device: all values are 0 and there. */
static void
check_zero(struct gpu *gpu, VkQueryPool pool, uint32_t values)
{
   enum { MOST = 16 };
   CHECK(values < MOST);
   uint64_t results[MOST];
   memset(results, 0xcd, sizeof(results));
   CALL(
      vkGetQueryPoolResults(gpu->device, pool, 0, 1, sizeof(results), results, sizeof(results),
                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT));
   for (uint32_t i = 0; i < values; i++)
      CHECK_EQUAL(results[i], 0);
   CHECK_EQUAL(results[values], 1);

   struct buffer copy;
   buffer_init(gpu, &copy, sizeof(results), 0);
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdCopyQueryPoolResults(commands, pool, 0, 1, copy.buffer, 0, sizeof(results),
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
   gpu_barrier(commands);
   gpu_submit(gpu, commands);
   for (uint32_t i = 0; i < values; i++)
      CHECK_EQUAL(((uint64_t *)copy.map)[i], 0);
   buffer_finish(gpu, &copy);
}

static void
run_query(struct gpu *gpu, VkQueryType type, VkQueryPipelineStatisticFlags statistics, uint32_t values)
{
   const VkQueryPool pool = create_pool(gpu, type, statistics);
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdResetQueryPool(commands, pool, 0, 1);
   vkCmdBeginQuery(commands, pool, 0, 0);
   vkCmdEndQuery(commands, pool, 0);
   gpu_submit(gpu, commands);
   check_zero(gpu, pool, values);
   vkDestroyQueryPool(gpu->device, pool, NULL);
}

/* Those of task shaders take a second ring, others the global data share. */
static bool
queries(void)
{
   VkPhysicalDeviceMeshShaderFeaturesEXT mesh = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
   };
   VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT generated = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT,
      .pNext = &mesh,
   };
   VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
      .pNext = &generated,
   };
   const struct gpu_options options = {
      .extensions =
         (const char *const[]){VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME,
                               VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME, NULL},
      .optional = true,
      .features = &feedback,
   };
   struct gpu gpu;
   if (!gpu_open(&gpu, &options))
      return false;
   if (gpu.family != gpu.general) {
      gpu_close(&gpu);
      return false;
   }
   run_query(&gpu, VK_QUERY_TYPE_OCCLUSION, 0, 1);
   for (uint32_t bit = 0; bit < 11; bit++)
      run_query(&gpu, VK_QUERY_TYPE_PIPELINE_STATISTICS, 1 << bit, 1);
   run_query(&gpu, VK_QUERY_TYPE_PIPELINE_STATISTICS, 0x7ff, 11);
   if (feedback.transformFeedback)
      run_query(&gpu, VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 0, 2);
   if (generated.primitivesGeneratedQuery)
      run_query(&gpu, VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, 0, 1);
   if (mesh.meshShaderQueries) {
      run_query(&gpu, VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT, 0, 1);
      run_query(&gpu, VK_QUERY_TYPE_PIPELINE_STATISTICS, VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT,
                1);
      run_query(&gpu, VK_QUERY_TYPE_PIPELINE_STATISTICS, VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT,
                1);
      run_query(&gpu, VK_QUERY_TYPE_PIPELINE_STATISTICS, 0x1fff, 13);
   }
   gpu_close(&gpu);
   return true;
}

/* The counters of transform feedback keep what they were. */
static bool
feedback_counters(void)
{
   VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
   };
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME, &feedback))
      return false;
   if (gpu.family != gpu.general || !feedback.transformFeedback || !gpu.is_virtual) {
      gpu_close(&gpu);
      return false; /* elsewhere it takes a pipeline */
   }
   DEVICE_FUNCTION(&gpu, CmdBindTransformFeedbackBuffersEXT);
   DEVICE_FUNCTION(&gpu, CmdBeginTransformFeedbackEXT);
   DEVICE_FUNCTION(&gpu, CmdEndTransformFeedbackEXT);
   struct buffer target, counters;
   buffer_init(&gpu, &target, 4096, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT);
   buffer_init(&gpu, &counters, 64, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT);
   ((uint32_t *)counters.map)[4] = 48;
   const VkCommandBuffer commands = gpu_begin(&gpu);
   const VkRenderingInfo rendering = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {.extent = {EDGE, EDGE}}, .layerCount = 1};
   vkCmdBeginRendering(commands, &rendering);
   CmdBindTransformFeedbackBuffersEXT(commands, 0, 1, &target.buffer, &(VkDeviceSize){0}, NULL);
   CmdBeginTransformFeedbackEXT(commands, 0, 1, &counters.buffer, &(VkDeviceSize){16});
   CmdEndTransformFeedbackEXT(commands, 0, 1, &counters.buffer, &(VkDeviceSize){16});
   CmdBeginTransformFeedbackEXT(commands, 0, 0, NULL, NULL);
   CmdEndTransformFeedbackEXT(commands, 0, 1, &counters.buffer, &(VkDeviceSize){32});
   vkCmdEndRendering(commands);
   gpu_submit(&gpu, commands);
   CHECK_EQUAL(((uint32_t *)counters.map)[4], 48); /* in bytes */
   CHECK_EQUAL(((uint32_t *)counters.map)[8], 0);
   CHECK_EQUAL(*(uint32_t *)target.map, 0xcdcdcdcd);
   buffer_finish(&gpu, &counters);
   buffer_finish(&gpu, &target);
   gpu_close(&gpu);
   return true;
}

/* ---- attachments that are inherited ---- */

struct target {
   VkImage color, depth;
   VkDeviceMemory memory[2];
   VkImageView views[2];
   struct buffer texels; /* of the colour, then of the depth */
};

static VkImage
create_image(struct gpu *gpu, VkFormat format, VkImageUsageFlags usage, VkDeviceMemory *memory)
{
   const VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .imageType = VK_IMAGE_TYPE_2D,
      .format = format,
      .extent = {EDGE, EDGE, 1},
      .mipLevels = 1,
      .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
   };
   VkImage image;
   CALL(vkCreateImage(gpu->device, &info, NULL, &image));
   *memory = gpu_allocate_image(gpu, image);
   return image;
}

static VkImageView
create_view(struct gpu *gpu, VkImage image, VkFormat format, VkImageAspectFlags aspect)
{
   const VkImageViewCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image,
      .viewType = VK_IMAGE_VIEW_TYPE_2D,
      .format = format,
      .subresourceRange = {aspect, 0, 1, 0, 1},
   };
   VkImageView view;
   CALL(vkCreateImageView(gpu->device, &info, NULL, &view));
   return view;
}

static void
target_init(struct gpu *gpu, struct target *target)
{
   target->color = create_image(gpu, color_format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &target->memory[0]);
   target->depth = create_image(gpu, depth_format, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, &target->memory[1]);
   target->views[0] = create_view(gpu, target->color, color_format, VK_IMAGE_ASPECT_COLOR_BIT);
   target->views[1] = create_view(gpu, target->depth, depth_format, VK_IMAGE_ASPECT_DEPTH_BIT);
   buffer_init(gpu, &target->texels, 2 * EDGE * EDGE * 4, 0);
}

static void
target_finish(struct gpu *gpu, struct target *target)
{
   buffer_finish(gpu, &target->texels);
   for (int i = 0; i < 2; i++)
      vkDestroyImageView(gpu->device, target->views[i], NULL);
   vkDestroyImage(gpu->device, target->color, NULL);
   vkDestroyImage(gpu->device, target->depth, NULL);
   for (int i = 0; i < 2; i++)
      vkFreeMemory(gpu->device, target->memory[i], NULL);
}

/* Secondaries alone in a rendering that begins with black and 1. */
static void
execute(struct gpu *gpu, struct target *target, uint32_t count, const VkCommandBuffer *secondaries)
{
   const VkCommandBuffer commands = gpu_begin(gpu);
   gpu_transition(commands, target->color, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_GENERAL);
   gpu_transition(commands, target->depth, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_GENERAL);
   const VkRenderingAttachmentInfo color = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = target->views[0],
      .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
   };
   const VkRenderingAttachmentInfo depth = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = target->views[1],
      .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .clearValue.depthStencil.depth = 1,
   };
   const VkRenderingInfo rendering = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
      .flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT,
      .renderArea = {.extent = {EDGE, EDGE}},
      .layerCount = 1,
      .colorAttachmentCount = 1,
      .pColorAttachments = &color,
      .pDepthAttachment = &depth,
   };
   vkCmdBeginRendering(commands, &rendering);
   vkCmdExecuteCommands(commands, count, secondaries);
   vkCmdEndRendering(commands);
   gpu_barrier(commands);
   VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {EDGE, EDGE, 1}};
   vkCmdCopyImageToBuffer(commands, target->color, VK_IMAGE_LAYOUT_GENERAL, target->texels.buffer, 1, &copy);
   copy.imageSubresource.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
   copy.bufferOffset = EDGE * EDGE * 4;
   vkCmdCopyImageToBuffer(commands, target->depth, VK_IMAGE_LAYOUT_GENERAL, target->texels.buffer, 1, &copy);
   gpu_barrier(commands);
   gpu_submit(gpu, commands);
}

/* Colours 0xff in one channel of four. */
static void
check_texel(const struct target *target, uint32_t x, uint32_t y, uint32_t color, float depth)
{
   const uint32_t *colors = target->texels.map;
   const float *depths = (const float *)(colors + EDGE * EDGE);
   CHECK_EQUAL(colors[y * EDGE + x], color);
   CHECK(depths[y * EDGE + x] == depth);
}

static const VkCommandBufferInheritanceRenderingInfo rendering = {
   .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
   .colorAttachmentCount = 1,
   .pColorAttachmentFormats = &color_format,
   .depthAttachmentFormat = depth_format,
   .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
};

/* A channel of the colour; a negative one clears the depth to `value`. */
static void
clear(VkCommandBuffer commands, int channel, float value, int32_t x, int32_t y, uint32_t width, uint32_t height)
{
   VkClearAttachment attachment = {.aspectMask = channel < 0 ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT};
   if (channel < 0)
      attachment.clearValue.depthStencil.depth = value;
   else
      attachment.clearValue.color.float32[channel] = value;
   const VkClearRect rect = {.rect = {{x, y}, {width, height}}, .layerCount = 1};
   vkCmdClearAttachments(commands, 1, &attachment, 1, &rect);
}

/* Two secondaries whose clears overlap, in both orders, for two renderings each. */
static bool
inherited(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   if (gpu.family != gpu.general) {
      gpu_close(&gpu);
      return false;
   }
   struct target targets[2];
   for (int i = 0; i < 2; i++)
      target_init(&gpu, &targets[i]);
   VkCommandBuffer secondaries[2];
   for (int i = 0; i < 2; i++)
      secondaries[i] = gpu_begin_secondary(&gpu, &rendering);
   clear(secondaries[0], 0, 1, 0, 0, 16, 16);
   clear(secondaries[0], 1, 1, 4, 4, 4, 4);
   clear(secondaries[0], -1, 0.5f, 0, 0, EDGE, 8);
   clear(secondaries[1], 2, 1, 8, 8, 16, 16);
   clear(secondaries[1], -1, 0.25f, 0, 4, 8, 8);
   for (int i = 0; i < 2; i++)
      CALL(vkEndCommandBuffer(secondaries[i]));

   for (int i = 0; i < 2; i++) {
      struct target *target = &targets[i];
      for (int backwards = 0; backwards < 2; backwards++) {
         execute(&gpu, target, 2, (const VkCommandBuffer[]){secondaries[backwards], secondaries[!backwards]});
         check_texel(target, 0, 0, 0x000000ff, 0.5f);
         check_texel(target, 5, 5, 0x0000ff00, backwards ? 0.5f : 0.25f);
         check_texel(target, 7, 3, 0x000000ff, 0.5f);
         check_texel(target, 10, 10, backwards ? 0x000000ff : 0x00ff0000, 1);
         check_texel(target, 2, 10, 0x000000ff, 0.25f);
         check_texel(target, 20, 20, 0x00ff0000, 1);
         check_texel(target, 24, 24, 0, 1);
         check_texel(target, 31, 0, 0, 0.5f);
      }
      execute(&gpu, target, 1, &secondaries[1]);
      check_texel(target, 0, 0, 0, 1);
      check_texel(target, 8, 8, 0x00ff0000, 1);
   }
   /* Recorded anew, it has forgotten. */
   CALL(vkResetCommandPool(gpu.device, gpu.pool, 0));
   const VkCommandBufferBeginInfo begin = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
      .pInheritanceInfo = &(VkCommandBufferInheritanceInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                            .pNext = &rendering}};
   CALL(vkBeginCommandBuffer(secondaries[0], &begin));
   clear(secondaries[0], 3, 1, 1, 1, 1, 1);
   CALL(vkEndCommandBuffer(secondaries[0]));
   execute(&gpu, &targets[0], 1, &secondaries[0]);
   check_texel(&targets[0], 0, 0, 0, 1);
   check_texel(&targets[0], 1, 1, 0xff000000, 1);
   for (int i = 0; i < 2; i++)
      target_finish(&gpu, &targets[i]);
   gpu_close(&gpu);
   return true;
}

/* Three predicates that hold, do not, and hold when inverted; then none. */
static bool
inherited_conditionally(void)
{
   VkPhysicalDeviceConditionalRenderingFeaturesEXT features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT};
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME, &features))
      return false;
   if (gpu.family != gpu.general) {
      gpu_close(&gpu);
      return false;
   }
   DEVICE_FUNCTION(&gpu, CmdBeginConditionalRenderingEXT);
   DEVICE_FUNCTION(&gpu, CmdEndConditionalRenderingEXT);
   struct target target;
   struct buffer predicates;
   target_init(&gpu, &target);
   buffer_init(&gpu, &predicates, 16, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
   memcpy(predicates.map, (const uint32_t[]){7, 0, 0, 0}, 16);
   const VkCommandBuffer secondary = gpu_begin_secondary(&gpu, &rendering);
   for (int i = 0; i < 3; i++) {
      const VkConditionalRenderingBeginInfoEXT begin = {
         .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
         .buffer = predicates.buffer,
         .offset = 4 * i,
         .flags = i == 2 ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0,
      };
      CmdBeginConditionalRenderingEXT(secondary, &begin);
      clear(secondary, i, 1, 8 * i, 0, 8, 8);
      CmdEndConditionalRenderingEXT(secondary);
   }
   clear(secondary, 3, 1, 24, 0, 8, 8);
   CALL(vkEndCommandBuffer(secondary));
   execute(&gpu, &target, 1, &secondary);
   static const uint32_t expected[] = {0x000000ff, 0, 0x00ff0000, 0xff000000};
   for (uint32_t i = 0; i < 4; i++)
      check_texel(&target, 8 * i + 3, 3, expected[i], 1);
   target_finish(&gpu, &target);
   buffer_finish(&gpu, &predicates);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "queries of drawing", .run = queries},
   {.name = "counters of transform feedback", .run = feedback_counters, .not_validated = true},
   {.name = "clears of inherited attachments", .run = inherited},
   {.name = "conditional clears of inherited attachments", .run = inherited_conditionally},
   {.name = NULL},
};
