/* SPDX-License-Identifier: MIT */
/* Images of any kind, moved from and to buffers; all in layout GENERAL. */
#ifndef TESTS_VULKAN_PICTURE_H
#define TESTS_VULKAN_PICTURE_H

#include "gpu.h"

struct picture {
   VkImageCreateInfo info;
   VkImage image;
   VkDeviceMemory memory;
};

/* One level and layer of a two-dimensional one, for transfers alone; the caller changes what it needs. */
VkImageCreateInfo picture_info(VkFormat format, uint32_t width, uint32_t height);
bool picture_supported(const struct gpu *gpu, const VkImageCreateInfo *info);
void picture_init(struct gpu *gpu, struct picture *picture, const VkImageCreateInfo *info, VkImageAspectFlags aspects);
void picture_finish(struct gpu *gpu, struct picture *picture);
VkExtent3D picture_level(const struct picture *picture, uint32_t level);
/* All layers of a level, packed, from or to a buffer; `size` is that of the aspect. */
void picture_upload(struct gpu *gpu, const struct picture *picture, VkImageAspectFlags aspect, uint32_t level,
                    VkExtent3D size, const struct buffer *from, VkDeviceSize offset);
void picture_download(struct gpu *gpu, const struct picture *picture, VkImageAspectFlags aspect, uint32_t level,
                      VkExtent3D size, const struct buffer *to, VkDeviceSize offset);
/* From the origin of a subresource to that of another; in a submission of its own, as are the others. */
void picture_copy(struct gpu *gpu, const struct picture *from, VkImageSubresourceLayers from_part,
                  const struct picture *to, VkImageSubresourceLayers to_part, VkExtent3D size);

/* Bytes that look like chance, the same in each run. */
void buffer_scramble(struct buffer *buffer);

#endif
