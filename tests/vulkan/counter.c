/* SPDX-License-Identifier: MIT */
#include "counter.h"

#include <string.h>

void
counter_init(struct gpu *gpu, struct counter *counter)
{
   counter->pipeline = gpu_create_pipeline(gpu, gpu->layout, "count.comp", 0);
   buffer_init(gpu, &counter->counts, sizeof(struct counts), 0);
   memset(counter->counts.map, 0, sizeof(struct counts));
}

void
counter_finish(struct gpu *gpu, struct counter *counter)
{
   buffer_finish(gpu, &counter->counts);
   vkDestroyPipeline(gpu->device, counter->pipeline, NULL);
}

void
counter_dispatch(struct gpu *gpu, VkCommandBuffer commands, const struct counter *counter, uint32_t weight,
                 uint32_t groups)
{
   const struct count_push push = {counter->counts.address, weight};
   gpu_dispatch(gpu, commands, counter->pipeline, &push, sizeof(push), groups);
   gpu_barrier(commands);
}

void
counter_check(const struct counter *counter, uint32_t groups)
{
   CHECK_EQUAL(((const struct counts *)counter->counts.map)->invocations, groups * COUNT_INVOCATIONS);
}
