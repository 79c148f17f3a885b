/* SPDX-License-Identifier: MIT */
/* Images of a device: created, filled from its source buffer, read back into its result. All in layout GENERAL. */
#ifndef TESTS_TRANSFER_IMAGE_H
#define TESTS_TRANSFER_IMAGE_H

#include "../images/formats/formats.h"
#include "side.h"

struct shape {
   const char *name;
   VkImageType type;
   VkExtent3D size;
   uint32_t layers, levels, samples;
   VkImageTiling tiling;
};

struct image {
   VkImage image;
   VkDeviceMemory memory;
   const struct format *format;
   struct shape shape;
};

/* Whether an image of this kind can be created for the usage, with all these features. */
bool image_supported(const struct side *side, const struct format *format, const struct shape *shape,
                     VkImageUsageFlags usage, VkFormatFeatureFlags features);
/* Begins the commands that follow with a transition, of all of it. */
void image_init(struct side *side, struct image *image, const struct format *format, const struct shape *shape,
                VkImageUsageFlags usage);
void image_finish(struct side *side, struct image *image);

VkExtent3D image_level(const struct image *image, uint32_t level);
VkImageSubresourceLayers image_layers(const struct image *image, uint32_t level, uint32_t first, uint32_t count);
VkImageSubresourceRange image_range(const struct image *image, uint32_t level, uint32_t levels, uint32_t first,
                                    uint32_t count);
VkImageView image_view(struct side *side, const struct image *image, uint32_t level, uint32_t first, uint32_t count);

/* Bytes of a texel, or block, in buffers. */
size_t aspect_bytes(const struct format *format, VkImageAspectFlags aspect);
/* A number of texels of the result. Returns where they begin. */
size_t result_add(struct side *side, const struct format *format, VkImageAspectFlags aspect, size_t count);
/* All levels, layers and aspects, from an offset in the source, and to the end of the result. */
void image_upload(struct side *side, const struct image *image, size_t offset);
void image_download(struct side *side, const struct image *image);

#endif
