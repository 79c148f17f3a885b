/* SPDX-License-Identifier: MIT */
/* Multisampled images filled by a compute shader, a value for each sample; copies cannot. */
#ifndef TESTS_TRANSFER_FILL_H
#define TESTS_TRANSFER_FILL_H

#include "image.h"
#include "set.h"

struct fill {
   struct set set;
   VkPipeline pipeline;
   VkImageView view;
};

/* Records it, for an array image with storage usage. To be destroyed after its commands have run. */
void fill_record(struct side *side, struct fill *fill, const struct image *image);
void fill_finish(struct side *side, struct fill *fill);

#endif
