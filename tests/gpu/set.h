/* SPDX-License-Identifier: MIT */
/* A descriptor set, with the layout of a pipeline that has it and push constants. */
#ifndef TESTS_GPU_SET_H
#define TESTS_GPU_SET_H

#include "gpu.h"

struct set {
   VkDescriptorSetLayout set_layout;
   VkPipelineLayout layout;
   VkDescriptorPool pool; /* null handles: the layout is one of sets that are not allocated */
   VkDescriptorSet set;
};

/* One descriptor of each type, as binding 0 and on. */
void set_init(const struct gpu *gpu, struct set *set, uint32_t count, const VkDescriptorType *types);
/* The layout alone. */
void set_init_layout(const struct gpu *gpu, struct set *set, VkDescriptorSetLayoutCreateFlags flags, uint32_t count,
                     const VkDescriptorType *types);
void set_finish(const struct gpu *gpu, struct set *set);
/* `buffer` VK_NULL_HANDLE: the null descriptor. */
void set_write_buffer(const struct gpu *gpu, const struct set *set, uint32_t binding, VkDescriptorType type,
                      VkBuffer buffer, VkDeviceSize offset, VkDeviceSize range);
void set_write_image(const struct gpu *gpu, const struct set *set, uint32_t binding, VkDescriptorType type,
                     VkImageView view, VkSampler sampler, VkImageLayout layout);
void set_write_texels(const struct gpu *gpu, const struct set *set, uint32_t binding, VkDescriptorType type,
                      VkBufferView view);
/* Pipeline, set and push constants are bound, then it runs. */
void set_run(struct gpu *gpu, const struct set *set, VkPipeline pipeline, const void *push, uint32_t push_size,
             uint32_t groups);

#endif
