/* SPDX-License-Identifier: MIT */
/*
 * The images. Level `l` of image `e` has at (x, y, z or layer) the four bytes 16 * x, 16 * y, 16 * z + 64 * l and
 * 16 * e + 15, so that what a shader reads can be worked out by hand; images of eight bytes a texel begin with zeros.
 */
#ifndef TESTS_GLSL_IMAGE_H
#define TESTS_GLSL_IMAGE_H

#include "resources.h"

struct image_kind {
   uint32_t binding, element;
   VkFormat format;
   VkImageViewType type;
   uint32_t size;  /* of each edge */
   uint32_t depth; /* slices or layers */
   uint32_t levels;
   bool storage, nearest;
};

extern const struct image_kind image_kinds[RESOURCE_IMAGES];

VkResult image_init(struct image *image, struct gpu *gpu, const struct image_kind *kind);
void image_finish(struct image *image, struct gpu *gpu);

#endif
