/* SPDX-License-Identifier: MIT */
/* Images to sample from, filled by copies. */
#ifndef TESTS_IMAGES_SAMPLING_IMAGE_H
#define TESTS_IMAGES_SAMPLING_IMAGE_H

#include "gpu.h"

struct image_info {
   VkImageViewType type;
   VkFormat format;
   uint32_t width, height, depth, layers, levels;
   uint32_t base_level;  /* of the view */
   uint32_t texel_bytes; /* or of a block */
   uint32_t block;       /* texels along a block's edge: 1 or 4 */
   VkComponentMapping swizzle;
};

struct image {
   VkImage image;
   VkDeviceMemory memory;
   VkImageView view;
};

/* Bytes of all levels, one after the other without gaps, layers within levels. */
size_t image_bytes(const struct image_info *info);
void image_init(struct gpu *gpu, struct image *image, const struct image_info *info, const void *data);
void image_finish(struct gpu *gpu, struct image *image);

#endif
