/* SPDX-License-Identifier: MIT */
/* What kernels of one kind are bound to: 0 a combined image and sampler, 1 and 2 storage buffers, and push constants.
 */
#ifndef TESTS_IMAGES_KERNEL_H
#define TESTS_IMAGES_KERNEL_H

#include "device.h"

struct bindings {
   VkDescriptorPool pool;
   VkDescriptorSetLayout set_layout;
   VkPipelineLayout layout;
};

void bindings_init(struct device *device, struct bindings *bindings);
void bindings_finish(struct device *device, struct bindings *bindings);

/* Runs and waits. `view` may be VK_NULL_HANDLE: the kernel has no image. */
void kernel_run(struct device *device, const struct bindings *bindings, VkPipeline pipeline, VkImageView view,
                VkSampler sampler, const struct buffer *in, const struct buffer *out, const void *push,
                uint32_t push_size, uint32_t workgroups);

#endif
