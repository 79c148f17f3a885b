/* SPDX-License-Identifier: MIT */
/* Kernels of one kind: 0 is a combined image and sampler, 1 and 2 are storage buffers, and there are push constants. */
#ifndef TESTS_IMAGES_KERNEL_H
#define TESTS_IMAGES_KERNEL_H

#include "set.h"

void kernel_init_set(struct gpu *gpu, struct set *set);

/* Runs and waits. `view` may be VK_NULL_HANDLE: the kernel has no image. */
void kernel_run(struct gpu *gpu, const struct set *set, VkPipeline pipeline, VkImageView view, VkSampler sampler,
                const struct buffer *in, const struct buffer *out, const void *push, uint32_t push_size,
                uint32_t workgroups);

#endif
