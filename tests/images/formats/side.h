/* SPDX-License-Identifier: MIT */
/* One of the drivers that are compared, and what its shaders are bound to. */
#ifndef TESTS_IMAGES_FORMATS_SIDE_H
#define TESTS_IMAGES_FORMATS_SIDE_H

#include "../device.h"

/* What a pipeline is bound to besides the values at 0: at 1 a storage image or texel buffer, or at 2 a sampled one. */
enum { STORAGE_IMAGE, SAMPLED_IMAGE, STORAGE_BUFFER, SAMPLED_BUFFER, LAYOUTS };

struct side {
   struct device device;
   struct buffer data, values; /* raw texels; what shaders read and write */
   VkDescriptorSetLayout set_layout[LAYOUTS];
   VkPipelineLayout layout[LAYOUTS];
   VkDescriptorPool pool;
   VkDescriptorSet set[LAYOUTS];
};

void side_open(struct side *side, const char *path);
void side_close(struct side *side);

/* The descriptor of a layout that is not the values. */
uint32_t binding_of(unsigned layout);
VkDescriptorType descriptor_type_of(unsigned layout);

#endif
