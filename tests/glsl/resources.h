/* SPDX-License-Identifier: MIT */
/* The buffers and images behind the bindings that all shaders of these tests share (README.md). */
#ifndef TESTS_GLSL_RESOURCES_H
#define TESTS_GLSL_RESOURCES_H

#include "gpu.h"
#include "script.h"

#define RESOURCE_TABLES 4
#define RESOURCE_IMAGES 9
#define RESOURCE_TRACE_BYTES (7 * 65536 * 4) /* for shaders that tests/truth has instrumented */

struct image {
   VkImage image;
   VkDeviceMemory memory;
   VkImageView view;
};

struct resources {
   struct buffer result, input, uniform, trace, tables[RESOURCE_TABLES];
   VkBufferView words, colours;
   VkSampler linear, nearest;
   struct image images[RESOURCE_IMAGES]; /* only if the script wants them */
   VkDescriptorSetLayout set_layout;
   VkPipelineLayout layout;
   VkDescriptorPool pool;
   VkDescriptorSet set;
   uint8_t push[GPU_PUSH_BYTES];
};

/* VK_SUCCESS, or what the submission that fills the images gave. */
VkResult resources_init(struct resources *resources, struct gpu *gpu, const struct script *script);
void resources_finish(struct resources *resources, struct gpu *gpu);

#endif
