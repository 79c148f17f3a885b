/* SPDX-License-Identifier: MIT */
/* Square images of floats, for samples that have some. */
#ifndef SAMPLES_IMAGE_H
#define SAMPLES_IMAGE_H

#include "common.h"

struct sample_image {
   VkImage image;
   VkDeviceMemory memory;
   VkImageView view;
   VkSampler sampler; /* nearest, clamped to the edge */
   uint32_t size;     /* of each edge */
};

void sample_image_init(struct sample_image *image, const struct sample *sample, uint32_t size);
void sample_image_finish(struct sample_image *image, const struct sample *sample);

/* As the image of `binding`: VK_DESCRIPTOR_TYPE_STORAGE_IMAGE or ..._COMBINED_IMAGE_SAMPLER. */
void sample_image_bind(const struct sample_image *image, const struct sample *sample,
                       const struct sample_kernel *kernel, VkDescriptorSet set, uint32_t binding);

/* Row after row, from or to the start of a buffer. The first use of an image is an upload or a clear. */
void sample_image_clear(const struct sample_image *image, VkCommandBuffer commands);
void sample_image_upload(const struct sample_image *image, VkCommandBuffer commands,
                         const struct sample_buffer *buffer);
void sample_image_download(const struct sample_image *image, VkCommandBuffer commands,
                           const struct sample_buffer *buffer);

#endif
