/* SPDX-License-Identifier: MIT */
/* Acceleration structures, ray queries and ray tracing pipelines. */
#include <string.h>

#include "ray_pipeline.h"
#include "scene.h"
#include "test.h"

/* ---- ray queries ---- */

static void
check_query(struct gpu *gpu, VkPipeline pipeline, const struct structure *top, float lift)
{
   struct buffer hits;
   buffer_init(gpu, &hits, WIDTH * HEIGHT * sizeof(struct hit), 0);
   const struct push push = {top->address, hits.address};
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdPushConstants(commands, gpu->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
   vkCmdDispatch(commands, 1, HEIGHT / 4, 1);
   gpu_submit(gpu, commands);
   for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
      const struct hit expected = scene_hit(i % WIDTH, i / WIDTH, lift);
      hit_check((struct hit *)hits.map + i, &expected);
   }
   buffer_finish(gpu, &hits);
}

static bool
ray_query(void)
{
   VkPhysicalDeviceRayQueryFeaturesKHR query = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR};
   VkPhysicalDeviceAccelerationStructureFeaturesKHR structures = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, .pNext = &query};
   const struct gpu_options options = {
      .extensions =
         (const char *const[]){VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                               VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, VK_KHR_RAY_QUERY_EXTENSION_NAME, NULL},
      .features = &structures,
   };
   struct gpu gpu;
   if (!gpu_open(&gpu, &options))
      return false;
   struct scene scene;
   scene_init(&gpu, &scene);
   const VkPipeline pipeline = gpu_create_pipeline(&gpu, gpu.layout, "query.comp", 0);
   check_query(&gpu, pipeline, &scene.top, 0);

   struct structure compacted;
   structure_compact(&gpu, &scene.top, &compacted);
   check_query(&gpu, pipeline, &compacted, 0);
   structure_finish(&gpu, &compacted);

   scene_build_top(&gpu, &scene, 0.5f, true);
   check_query(&gpu, pipeline, &scene.top, 0.5f);

   vkDestroyPipeline(gpu.device, pipeline, NULL);
   scene_finish(&gpu, &scene);
   gpu_close(&gpu);
   return true;
}

/* ---- ray tracing pipelines ---- */

static void
check_trace(const struct buffer *hits)
{
   for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
      const uint32_t column = i % WIDTH, row = i / WIDTH;
      struct hit expected = scene_hit(column, row, 0);
      if (expected.kind == TRIANGLE && column % 2)
         expected = (struct hit){.kind = MISS}; /* a hole, with nothing behind it */
      const struct hit *hit = (struct hit *)hits->map + i;
      hit_check(hit, &expected);
      CHECK_EQUAL(hit->called, 3 * i + 1);
   }
}

static void
check_pipeline(struct gpu *gpu, const struct scene *scene, VkPipelineLayout layout, VkPipeline pipeline)
{
   struct binding_table table;
   binding_table_init(gpu, &table, pipeline);
   struct buffer hits, size;
   buffer_init(gpu, &hits, WIDTH * HEIGHT * sizeof(struct hit), 0);
   buffer_init(gpu, &size, sizeof(VkTraceRaysIndirectCommandKHR), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
   *(VkTraceRaysIndirectCommandKHR *)size.map = (VkTraceRaysIndirectCommandKHR){WIDTH, HEIGHT, 1};
   const struct push push = {scene->top.address, hits.address};
   DEVICE_FUNCTION(gpu, CmdTraceRaysKHR);
   DEVICE_FUNCTION(gpu, CmdTraceRaysIndirectKHR);
   for (int indirect = 0; indirect < 2; indirect++) {
      memset(hits.map, 0xcd, hits.size);
      const VkCommandBuffer commands = gpu_begin(gpu);
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline);
      vkCmdPushConstants(commands, layout, ray_stages, 0, sizeof(push), &push);
      if (indirect)
         CmdTraceRaysIndirectKHR(commands, &table.raygen, &table.miss, &table.hit, &table.callable, size.address);
      else
         CmdTraceRaysKHR(commands, &table.raygen, &table.miss, &table.hit, &table.callable, WIDTH, HEIGHT, 1);
      gpu_submit(gpu, commands);
      check_trace(&hits);
   }
   buffer_finish(gpu, &size);
   buffer_finish(gpu, &hits);
   buffer_finish(gpu, &table.buffer);
}

static bool
check_ray_tracing(bool with_library)
{
   VkPhysicalDeviceRayTracingPipelineFeaturesKHR rays = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR};
   VkPhysicalDeviceAccelerationStructureFeaturesKHR structures = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, .pNext = &rays};
   const struct gpu_options options = {
      .extensions = (const char *const[]){VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                                          VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,
                                          VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
                                          VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, NULL},
      .features = &structures,
   };
   struct gpu gpu;
   if (!gpu_open(&gpu, &options))
      return false;
   struct scene scene;
   scene_init(&gpu, &scene);
   const VkPushConstantRange range = {ray_stages, 0, sizeof(struct push) + 4}; /* which the driver rounds up */
   const VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &range,
   };
   VkPipelineLayout layout;
   CALL(vkCreatePipelineLayout(gpu.device, &layout_info, NULL, &layout));
   VkPipeline library = VK_NULL_HANDLE;
   if (with_library)
      library = ray_pipeline_create(&gpu, layout, &ray_library, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, VK_NULL_HANDLE);
   const VkPipeline pipeline = ray_pipeline_create(&gpu, layout, library ? &ray_main : &ray_whole, 0, library);
   check_pipeline(&gpu, &scene, layout, pipeline);
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   vkDestroyPipeline(gpu.device, library, NULL);
   vkDestroyPipelineLayout(gpu.device, layout, NULL);
   scene_finish(&gpu, &scene);
   gpu_close(&gpu);
   return true;
}

static bool
ray_tracing_pipeline(void)
{
   return check_ray_tracing(false);
}

static bool
ray_tracing_library(void)
{
   return check_ray_tracing(true);
}

const struct test tests[] = {
   {.name = "ray query", .run = ray_query},
   {.name = "ray tracing pipeline", .run = ray_tracing_pipeline},
   {.name = "ray tracing pipeline with a library", .run = ray_tracing_library},
   {.name = NULL},
};
