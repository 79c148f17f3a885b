/* SPDX-License-Identifier: MIT */
/* The kernel of all these programs: some elements of a buffer become `value * scale + amount`. */
#ifndef TESTS_LAYER_AFFINE_H
#define TESTS_LAYER_AFFINE_H

#include "common.h"

#define AFFINE_WORKGROUP 64

struct affine {
   const struct sample *sample;
   struct sample_buffer buffer;
   struct sample_kernel kernel;
   VkDescriptorSet set;
   uint32_t n;
};

struct affine_step {
   uint32_t first, count, scale, amount;
};

void affine_init(struct affine *affine, const struct sample *sample, uint32_t n); /* all zero */
void affine_finish(struct affine *affine);
VkCommandBuffer affine_begin(const struct affine *affine, VkCommandBufferLevel level, VkCommandBufferUsageFlags usage);
void affine_record(const struct affine *affine, VkCommandBuffer commands, const struct affine_step *step,
                   const char *label);
VkFence affine_submit(const struct sample *sample, VkCommandBuffer commands); /* the fence comes with the end */
void affine_barrier(VkCommandBuffer commands); /* also against what was submitted before, and for the host */
/* How many elements hold `expected`. */
uint32_t affine_count(const struct affine *affine, uint32_t expected);

#endif
