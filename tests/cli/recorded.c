/* SPDX-License-Identifier: MIT */
/*
 * Dispatches that do not stand in the primary command buffer as they were recorded:  recorded SHADERS [TEST...]
 * Each adds to one counter.
 */
#include <string.h>

#include "gpu.h"
#include "test.h"

struct counts {
   uint32_t invocations, last[3];
};
struct count_push {
   uint64_t counts;
   uint32_t weight;
};
enum { COUNT_INVOCATIONS = 32 }; /* of a workgroup of count.comp */

struct counter {
   VkPipeline pipeline;
   struct buffer counts;
};

static void
counter_init(struct gpu *gpu, struct counter *counter)
{
   counter->pipeline = gpu_create_pipeline(gpu, gpu->layout, "count.comp", 0);
   buffer_init(gpu, &counter->counts, sizeof(struct counts), 0);
   memset(counter->counts.map, 0, sizeof(struct counts));
}

static void
counter_finish(struct gpu *gpu, struct counter *counter)
{
   buffer_finish(gpu, &counter->counts);
   vkDestroyPipeline(gpu->device, counter->pipeline, NULL);
}

static void
count(struct gpu *gpu, VkCommandBuffer commands, const struct counter *counter, uint32_t weight, uint32_t groups)
{
   const struct count_push push = {counter->counts.address, weight};
   gpu_dispatch(gpu, commands, counter->pipeline, &push, sizeof(push), groups);
   gpu_barrier(commands);
}

static void
check_count(const struct counter *counter, uint32_t groups)
{
   CHECK_EQUAL(((const struct counts *)counter->counts.map)->invocations, groups * COUNT_INVOCATIONS);
}

/* ---- secondary command buffers ---- */

static VkCommandBuffer
begin_secondary(struct gpu *gpu)
{
   const VkCommandBufferAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = gpu->pool,
      .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
      .commandBufferCount = 1,
   };
   VkCommandBuffer commands;
   CALL(vkAllocateCommandBuffers(gpu->device, &allocate, &commands));
   const VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
   const VkCommandBufferBeginInfo begin = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
      .pInheritanceInfo = &inheritance,
   };
   CALL(vkBeginCommandBuffer(commands, &begin));
   return commands;
}

/* 5 workgroups; twice 2 and 3 from one secondary; 7: and all that once more. */
static bool
secondary(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   struct counter counter;
   counter_init(&gpu, &counter);
   const VkCommandBuffer inner = begin_secondary(&gpu);
   count(&gpu, inner, &counter, 1, 2);
   count(&gpu, inner, &counter, 1, 3);
   CALL(vkEndCommandBuffer(inner));
   for (int i = 0; i < 2; i++) {
      const VkCommandBuffer commands = gpu_begin(&gpu);
      count(&gpu, commands, &counter, 1, 5);
      vkCmdExecuteCommands(commands, 2, (const VkCommandBuffer[]){inner, inner});
      count(&gpu, commands, &counter, 1, 7);
      gpu_submit(&gpu, commands);
   }
   check_count(&counter, 2 * (5 + 2 * (2 + 3) + 7));
   counter_finish(&gpu, &counter);
   gpu_close(&gpu);
   return true;
}

/* 2 workgroups in a secondary, which another one executes before its 3. */
static bool
nested(void)
{
   VkPhysicalDeviceNestedCommandBufferFeaturesEXT features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT};
   const struct gpu_options options = {
      .extensions = (const char *const[]){VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME, NULL},
      .features = &features,
   };
   struct gpu gpu;
   if (!gpu_open(&gpu, &options))
      return false;
   struct counter counter;
   counter_init(&gpu, &counter);
   const VkCommandBuffer inner = begin_secondary(&gpu), outer = begin_secondary(&gpu);
   count(&gpu, inner, &counter, 1, 2);
   CALL(vkEndCommandBuffer(inner));
   vkCmdExecuteCommands(outer, 1, &inner);
   count(&gpu, outer, &counter, 1, 3);
   CALL(vkEndCommandBuffer(outer));
   const VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdExecuteCommands(commands, 1, &outer);
   gpu_submit(&gpu, commands);
   check_count(&counter, 2 + 3);
   counter_finish(&gpu, &counter);
   gpu_close(&gpu);
   return true;
}

/* ---- the driver's own ---- */

/* 1 workgroup, the copy of a query's result, which is a dispatch of the driver's, 2 workgroups. */
static bool
internal(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   struct counter counter;
   counter_init(&gpu, &counter);
   struct buffer result;
   buffer_init(&gpu, &result, 2 * sizeof(uint64_t), 0);
   const VkQueryPoolCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
      .queryType = VK_QUERY_TYPE_TIMESTAMP,
      .queryCount = 1,
   };
   VkQueryPool pool;
   CALL(vkCreateQueryPool(gpu.device, &info, NULL, &pool));
   const VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdResetQueryPool(commands, pool, 0, 1);
   count(&gpu, commands, &counter, 1, 1);
   vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
   vkCmdCopyQueryPoolResults(commands, pool, 0, 1, result.buffer, 0, result.size,
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
   gpu_barrier(commands);
   count(&gpu, commands, &counter, 1, 2);
   gpu_submit(&gpu, commands);
   check_count(&counter, 1 + 2);
   CHECK_EQUAL(((const uint64_t *)result.map)[1], 1);
   vkDestroyQueryPool(gpu.device, pool, NULL);
   buffer_finish(&gpu, &result);
   counter_finish(&gpu, &counter);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "secondary", .run = secondary},
   {.name = "nested", .run = nested},
   {.name = "internal", .run = internal},
   {.name = NULL},
};
