/* SPDX-License-Identifier: MIT */
/* Memory that comes and goes as a file descriptor; shared by memory.c and the process that it starts, importer.c. */
#ifndef TESTS_VULKAN_EXTERNAL_H
#define TESTS_VULKAN_EXTERNAL_H

#include "texels.h"

enum { EXTERNAL_SIZE = 1 << 20, EXTERNAL_EDGE = 320 };

bool external_open(struct gpu *gpu); /* a device with what it takes; false: there is none */
/* A mapped buffer of EXTERNAL_SIZE whose memory can be exported. */
void external_init(struct gpu *gpu, struct buffer *buffer, VkExternalMemoryHandleTypeFlagBits type);
int external_export(struct gpu *gpu, VkDeviceMemory memory, VkExternalMemoryHandleTypeFlagBits type);
void external_import(struct gpu *gpu, struct buffer *buffer, VkExternalMemoryHandleTypeFlagBits type, int fd);

/* A tiled image in memory of its own, by opaque descriptors. */
struct external_image {
   VkImage image;
   VkDeviceMemory memory;
   struct level level;
   VkPipeline texels;
};
/* `fd` -1: new memory, which can be exported. */
void external_image_init(struct gpu *gpu, struct external_image *image, int fd);
void external_image_finish(struct gpu *gpu, struct external_image *image);
void external_image_transfer(struct gpu *gpu, const struct external_image *image, bool acquire);

#endif
