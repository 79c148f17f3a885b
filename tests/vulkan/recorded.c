/* SPDX-License-Identifier: MIT */
/*
 * Dispatches that do not stand in the primary command buffer as they were recorded:  recorded SHADERS [TEST...]
 * Each adds to one counter.
 */
#include "counter.h"
#include "test.h"

/* ---- secondary command buffers ---- */

/* 5 workgroups; twice 2 and 3 from one secondary; 7: and all that once more. */
static bool
secondary(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   struct counter counter;
   counter_init(&gpu, &counter);
   const VkCommandBuffer inner = gpu_begin_secondary(&gpu, NULL);
   counter_dispatch(&gpu, inner, &counter, 1, 2);
   counter_dispatch(&gpu, inner, &counter, 1, 3);
   CALL(vkEndCommandBuffer(inner));
   for (int i = 0; i < 2; i++) {
      const VkCommandBuffer commands = gpu_begin(&gpu);
      counter_dispatch(&gpu, commands, &counter, 1, 5);
      vkCmdExecuteCommands(commands, 2, (const VkCommandBuffer[]){inner, inner});
      counter_dispatch(&gpu, commands, &counter, 1, 7);
      gpu_submit(&gpu, commands);
   }
   counter_check(&counter, 2 * (5 + 2 * (2 + 3) + 7));
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
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME, &features))
      return false;
   struct counter counter;
   counter_init(&gpu, &counter);
   const VkCommandBuffer inner = gpu_begin_secondary(&gpu, NULL), outer = gpu_begin_secondary(&gpu, NULL);
   counter_dispatch(&gpu, inner, &counter, 1, 2);
   CALL(vkEndCommandBuffer(inner));
   vkCmdExecuteCommands(outer, 1, &inner);
   counter_dispatch(&gpu, outer, &counter, 1, 3);
   CALL(vkEndCommandBuffer(outer));
   const VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdExecuteCommands(commands, 1, &outer);
   gpu_submit(&gpu, commands);
   counter_check(&counter, 2 + 3);
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
   counter_dispatch(&gpu, commands, &counter, 1, 1);
   vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
   vkCmdCopyQueryPoolResults(commands, pool, 0, 1, result.buffer, 0, result.size,
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
   gpu_barrier(commands);
   counter_dispatch(&gpu, commands, &counter, 1, 2);
   gpu_submit(&gpu, commands);
   counter_check(&counter, 1 + 2);
   CHECK_EQUAL(((const uint64_t *)result.map)[1], 1);
   vkDestroyQueryPool(gpu.device, pool, NULL);
   buffer_finish(&gpu, &result);
   counter_finish(&gpu, &counter);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "secondary", .run = secondary},
   {.name = "nested", .run = nested, .not_validated = true},
   {.name = "internal", .run = internal},
   {.name = NULL},
};
