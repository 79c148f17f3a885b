/* SPDX-License-Identifier: MIT */
/* What count.comp does: each invocation adds a weight, and the last workgroup is noted. */
#ifndef TESTS_VULKAN_COUNTER_H
#define TESTS_VULKAN_COUNTER_H

#include "gpu.h"

struct counts {
   uint32_t invocations, last[3];
};
struct count_push {
   uint64_t counts;
   uint32_t weight;
};
enum { COUNT_INVOCATIONS = 32 }; /* of a workgroup */

struct counter {
   VkPipeline pipeline;
   struct buffer counts; /* from 0 */
};
void counter_init(struct gpu *gpu, struct counter *counter);
void counter_finish(struct gpu *gpu, struct counter *counter);
/* A dispatch, and a barrier behind it. */
void counter_dispatch(struct gpu *gpu, VkCommandBuffer commands, const struct counter *counter, uint32_t weight,
                      uint32_t groups);
void counter_check(const struct counter *counter, uint32_t groups);

#endif
