/* SPDX-License-Identifier: MIT */
/* A level of an image of 32-bit integers, written and read by texels.comp. */
#ifndef TESTS_VULKAN_TEXELS_H
#define TESTS_VULKAN_TEXELS_H

#include "set.h"

struct level {
   VkExtent3D size;
   VkImageViewType type;
   VkImageView view;
   struct set set;
   struct buffer texels; /* value, resident */
};

void level_init(struct gpu *gpu, struct level *level, VkImage image, uint32_t number, VkExtent3D size,
                VkImageViewType type);
/* Of two or three dimensions. */
VkPipeline level_create_pipeline(struct gpu *gpu, const struct level *level);
void level_finish(struct gpu *gpu, struct level *level);
/* Each texel gets its number plus one; or all of them are read. */
void level_run(struct gpu *gpu, const struct level *level, VkPipeline pipeline, bool write);
/* What was read is what is written. `hole`: of two by two (by two) blocks only those have memory that have none or two
 * neighbours before them; what is in the others is 0 if the device is `strict`. */
void level_check(const struct level *level, bool hole, bool strict);
/* From no layout to the general one. */
void make_general(struct gpu *gpu, VkImage image);

#endif
