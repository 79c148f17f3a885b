/* SPDX-License-Identifier: MIT */
/* Timestamps, pipeline statistics, and the ways to get at results. */
#include <string.h>
#include <time.h>

#include "gpu.h"
#include "test.h"

static VkQueryPool
create_pool(struct gpu *gpu, VkQueryType type, uint32_t count)
{
   const VkQueryPoolCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
      .queryType = type,
      .queryCount = count,
      .pipelineStatistics =
         type == VK_QUERY_TYPE_PIPELINE_STATISTICS ? VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT : 0,
   };
   VkQueryPool pool;
   CALL(vkCreateQueryPool(gpu->device, &info, NULL, &pool));
   return pool;
}

struct counter {
   struct buffer counts;
   VkPipeline pipeline;
};
enum { COUNT_INVOCATIONS = 32 }; /* of a workgroup of count.comp */

static void
counter_init(struct gpu *gpu, struct counter *counter)
{
   buffer_init(gpu, &counter->counts, 16, 0);
   counter->pipeline = gpu_create_pipeline(gpu, gpu->layout, "count.comp", 0);
}

static void
counter_finish(struct gpu *gpu, struct counter *counter)
{
   vkDestroyPipeline(gpu->device, counter->pipeline, NULL);
   buffer_finish(gpu, &counter->counts);
}

static void
dispatch(struct gpu *gpu, VkCommandBuffer commands, const struct counter *counter, uint32_t groups)
{
   const struct {
      uint64_t counts;
      uint32_t weight;
   } push = {counter->counts.address, 1};
   gpu_dispatch(gpu, commands, counter->pipeline, &push, sizeof(push), groups);
}

/* ---- timestamps ---- */

static bool
timestamps(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   enum { COUNT = 4 };
   const VkQueryPool pool = create_pool(&gpu, VK_QUERY_TYPE_TIMESTAMP, COUNT);
   struct counter counter;
   counter_init(&gpu, &counter);
   VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdResetQueryPool(commands, pool, 0, COUNT);
   vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
   dispatch(&gpu, commands, &counter, 200);
   vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, pool, 1);
   dispatch(&gpu, commands, &counter, 200);
   vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool, 2);
   vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, pool, 3);
   struct timespec begin, end;
   clock_gettime(CLOCK_MONOTONIC, &begin);
   gpu_submit(&gpu, commands);
   clock_gettime(CLOCK_MONOTONIC, &end);
   uint64_t times[COUNT];
   CALL(vkGetQueryPoolResults(gpu.device, pool, 0, COUNT, sizeof(times), times, 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
   for (uint32_t i = 1; i < COUNT; i++)
      CHECK(times[i] >= times[i - 1]);
   CHECK(times[1] > times[0]);
   /* Between the host's. */
   const double elapsed = (end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec);
   CHECK((times[COUNT - 1] - times[0]) * (double)gpu.properties.limits.timestampPeriod <= elapsed + 100);
   counter_finish(&gpu, &counter);
   vkDestroyQueryPool(gpu.device, pool, NULL);
   gpu_close(&gpu);
   return true;
}

static uint64_t
now(clockid_t clock)
{
   struct timespec time;
   clock_gettime(clock, &time);
   return time.tv_sec * UINT64_C(1000000000) + time.tv_nsec;
}

static bool
calibrated(void)
{
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, NULL))
      return false;
   INSTANCE_FUNCTION(&gpu, GetPhysicalDeviceCalibrateableTimeDomainsEXT);
   DEVICE_FUNCTION(&gpu, GetCalibratedTimestampsEXT);
   VkTimeDomainKHR domains[8];
   uint32_t count = 8;
   CALL(GetPhysicalDeviceCalibrateableTimeDomainsEXT(gpu.physical_device, &count, domains));
   bool device = false, monotonic = false;
   for (uint32_t i = 0; i < count; i++) {
      device |= domains[i] == VK_TIME_DOMAIN_DEVICE_EXT;
      monotonic |= domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
   }
   CHECK(device && monotonic);
   const VkCalibratedTimestampInfoEXT infos[] = {
      {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT},
      {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
   };
   const uint64_t before = now(CLOCK_MONOTONIC);
   uint64_t first[2], written, second[2], deviation;
   CALL(GetCalibratedTimestampsEXT(gpu.device, 2, infos, first, &deviation));
   const uint64_t after = now(CLOCK_MONOTONIC);
   CHECK(first[1] >= before && first[1] <= after && deviation > 0);

   /* A timestamp of the GPU lies between two of the device's domain. */
   const VkQueryPool pool = create_pool(&gpu, VK_QUERY_TYPE_TIMESTAMP, 1);
   const VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdResetQueryPool(commands, pool, 0, 1);
   vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
   gpu_submit(&gpu, commands);
   CALL(vkGetQueryPoolResults(gpu.device, pool, 0, 1, sizeof(written), &written, 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
   CALL(GetCalibratedTimestampsEXT(gpu.device, 2, infos, second, &deviation));
   CHECK(written >= first[0] && written <= second[0]);
   /* And both domains run equally fast, as far as a sample goes. */
   const double device_ns = (second[0] - first[0]) * (double)gpu.properties.limits.timestampPeriod;
   const double host_ns = second[1] - first[1], difference = device_ns - host_ns;
   CHECK(difference < 1e6 + host_ns / 100 && -difference < 1e6 + host_ns / 100);
   vkDestroyQueryPool(gpu.device, pool, NULL);
   gpu_close(&gpu);
   return true;
}

/* ---- pipeline statistics ---- */

static bool
statistics(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   enum { COUNT = 3 };
   const VkQueryPool pool = create_pool(&gpu, VK_QUERY_TYPE_PIPELINE_STATISTICS, COUNT);
   vkResetQueryPool(gpu.device, pool, 0, COUNT);
   struct counter counter;
   counter_init(&gpu, &counter);
   const VkCommandBuffer commands = gpu_begin(&gpu);
   dispatch(&gpu, commands, &counter, 11);
   vkCmdBeginQuery(commands, pool, 0, 0);
   dispatch(&gpu, commands, &counter, 3);
   dispatch(&gpu, commands, &counter, 4);
   vkCmdEndQuery(commands, pool, 0);
   dispatch(&gpu, commands, &counter, 13);
   vkCmdBeginQuery(commands, pool, 1, 0);
   vkCmdEndQuery(commands, pool, 1);
   vkCmdBeginQuery(commands, pool, 2, 0);
   dispatch(&gpu, commands, &counter, 1);
   vkCmdEndQuery(commands, pool, 2);
   gpu_submit(&gpu, commands);
   uint64_t invocations[COUNT];
   CALL(vkGetQueryPoolResults(gpu.device, pool, 0, COUNT, sizeof(invocations), invocations, 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
   CHECK_EQUAL(invocations[0], 7 * COUNT_INVOCATIONS);
   CHECK_EQUAL(invocations[1], 0);
   CHECK_EQUAL(invocations[2], COUNT_INVOCATIONS);
   counter_finish(&gpu, &counter);
   vkDestroyQueryPool(gpu.device, pool, NULL);
   gpu_close(&gpu);
   return true;
}

/* ---- vkCmdCopyQueryPoolResults ---- */

/* Of a pool of four queries of which the first two have results. */
static void
check_copies(struct gpu *gpu, VkQueryPool pool, const uint64_t expected[2])
{
   static const VkQueryResultFlags flags[] = {
      0,
      VK_QUERY_RESULT_64_BIT,
      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT,
      VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
   };
   enum { STRIDE = 32 };
   for (uint32_t f = 0; f < sizeof(flags) / sizeof(flags[0]); f++) {
      const bool wide = flags[f] & VK_QUERY_RESULT_64_BIT;
      const bool available = flags[f] & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
      const uint32_t count = flags[f] & VK_QUERY_RESULT_WAIT_BIT ? 2 : 4;
      struct buffer results;
      buffer_init(gpu, &results, 4 * STRIDE + 8, 0);
      const VkCommandBuffer commands = gpu_begin(gpu);
      vkCmdCopyQueryPoolResults(commands, pool, 0, count, results.buffer, 8, STRIDE, flags[f]);
      gpu_submit(gpu, commands);
      for (uint32_t i = 0; i < 4; i++) {
         const uint8_t *at = (uint8_t *)results.map + 8 + i * STRIDE;
         uint64_t value[2];
         memcpy(value, at, 16);
         if (!wide) {
            value[1] = (uint32_t)(value[0] >> 32);
            value[0] = (uint32_t)value[0];
         }
         const uint64_t nothing = wide ? 0xcdcdcdcdcdcdcdcd : 0xcdcdcdcd;
         if (i < 2)
            CHECK_EQUAL(value[0], wide ? expected[i] : (uint32_t)expected[i]);
         else if (gpu->is_virtual) /* lavapipe writes something, which is allowed only with PARTIAL */
            CHECK_EQUAL(value[0], nothing);
         CHECK_EQUAL(value[1], !available ? nothing : i < 2);
      }
      buffer_finish(gpu, &results);
   }
}

static bool
copies(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   struct counter counter;
   counter_init(&gpu, &counter);
   for (int t = 0; t < 2; t++) {
      const VkQueryPool pool = create_pool(&gpu, t ? VK_QUERY_TYPE_PIPELINE_STATISTICS : VK_QUERY_TYPE_TIMESTAMP, 4);
      const VkCommandBuffer commands = gpu_begin(&gpu);
      vkCmdResetQueryPool(commands, pool, 0, 4);
      for (uint32_t i = 0; i < 2; i++) {
         if (t) {
            vkCmdBeginQuery(commands, pool, i, 0);
            dispatch(&gpu, commands, &counter, i + 2);
            vkCmdEndQuery(commands, pool, i);
         } else {
            vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, pool, i);
         }
      }
      gpu_submit(&gpu, commands);
      uint64_t expected[2];
      CALL(vkGetQueryPoolResults(gpu.device, pool, 0, 2, sizeof(expected), expected, 8, VK_QUERY_RESULT_64_BIT));
      if (t) {
         CHECK_EQUAL(expected[0], 2 * COUNT_INVOCATIONS);
         CHECK_EQUAL(expected[1], 3 * COUNT_INVOCATIONS);
      }
      uint64_t none[2][2];
      const VkQueryResultFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
      const VkResult result = vkGetQueryPoolResults(gpu.device, pool, 2, 2, sizeof(none), none, 16, flags);
      CHECK(result == VK_NOT_READY && none[0][1] == 0 && none[1][1] == 0);
      check_copies(&gpu, pool, expected);
      vkDestroyQueryPool(gpu.device, pool, NULL);
   }
   counter_finish(&gpu, &counter);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "timestamps", .run = timestamps},
   {.name = "calibrated timestamps", .run = calibrated},
   {.name = "pipeline statistics", .run = statistics},
   {.name = "query copies", .run = copies},
   {.name = NULL},
};
