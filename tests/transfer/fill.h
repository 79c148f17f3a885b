/* SPDX-License-Identifier: MIT */
/* Multisampled images filled by a compute shader, a value for each sample; copies cannot. */
#ifndef TESTS_TRANSFER_FILL_H
#define TESTS_TRANSFER_FILL_H

#include "image.h"

struct fill {
   VkDescriptorSetLayout set_layout;
   VkPipelineLayout layout;
   VkPipeline pipeline;
   VkDescriptorPool pool;
   VkDescriptorSet set;
   VkImageView view;
};

/* Records it, for an array image with storage usage. To be destroyed after its commands have run. */
void fill_record(struct gpu *gpu, struct fill *fill, const struct image *image);
void fill_finish(struct gpu *gpu, struct fill *fill);

#endif
