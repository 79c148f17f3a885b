/* SPDX-License-Identifier: MIT */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES VK_FORMAT_R8G8B8A8_UNORM
#define HALVES VK_FORMAT_R16G16B16A16_SFLOAT

const struct image_kind image_kinds[RESOURCE_IMAGES] = {
   {6, 0, VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D, 16, 1, 1, true, false},
   {7, 0, BYTES, VK_IMAGE_VIEW_TYPE_2D, 4, 1, 3, false, false},
   {8, 0, HALVES, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 8, 4, 1, true, false},
   {9, 0, BYTES, VK_IMAGE_VIEW_TYPE_2D, 4, 1, 1, false, true},
   {9, 1, BYTES, VK_IMAGE_VIEW_TYPE_2D, 4, 1, 1, false, true},
   {9, 2, BYTES, VK_IMAGE_VIEW_TYPE_2D, 4, 1, 1, false, true},
   {9, 3, BYTES, VK_IMAGE_VIEW_TYPE_2D, 4, 1, 1, false, true},
   {10, 0, BYTES, VK_IMAGE_VIEW_TYPE_3D, 4, 4, 1, false, false},
   {11, 0, BYTES, VK_IMAGE_VIEW_TYPE_CUBE, 4, 6, 1, false, true},
};

static bool
is_3d(const struct image_kind *kind)
{
   return kind->type == VK_IMAGE_VIEW_TYPE_3D;
}

static void
create_image(struct image *image, struct gpu *gpu, const struct image_kind *kind)
{
   const VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .flags = kind->type == VK_IMAGE_VIEW_TYPE_CUBE ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
      .imageType = is_3d(kind) ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
      .format = kind->format,
      .extent = {kind->size, kind->size, is_3d(kind) ? kind->depth : 1},
      .mipLevels = kind->levels,
      .arrayLayers = is_3d(kind) ? 1 : kind->depth,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .tiling = VK_IMAGE_TILING_OPTIMAL,
      .usage =
         (kind->storage ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT) | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
   };
   CALL(vkCreateImage(gpu->device, &info, NULL, &image->image));
   image->memory = gpu_allocate_image(gpu, image->image);

   const VkImageViewCreateInfo view_info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image->image,
      .viewType = kind->type,
      .format = kind->format,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, kind->levels, 0, info.arrayLayers},
   };
   CALL(vkCreateImageView(gpu->device, &view_info, NULL, &image->view));
}

/* Bytes of one level, without gaps. */
static size_t
fill_level(uint8_t *data, const struct image_kind *kind, uint32_t level)
{
   const uint32_t size = kind->size >> level, texels = size * size * kind->depth;
   if (kind->format == HALVES) {
      memset(data, 0, 8 * texels);
      return 8 * texels;
   }
   for (uint32_t i = 0; i < texels; i++) {
      data[4 * i] = (uint8_t)(16 * (i % size));
      data[4 * i + 1] = (uint8_t)(16 * (i / size % size));
      data[4 * i + 2] = (uint8_t)(16 * (i / size / size) + 64 * level);
      data[4 * i + 3] = (uint8_t)(16 * kind->element + 15);
   }
   return 4 * texels;
}

VkResult
image_init(struct image *image, struct gpu *gpu, const struct image_kind *kind)
{
   create_image(image, gpu, kind);
   struct buffer buffer;
   buffer_init(gpu, &buffer, 1 << 14, 0);
   VkCommandBuffer commands = gpu_begin(gpu);
   gpu_transition(commands, image->image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
   size_t offset = 0;
   for (uint32_t level = 0; level < kind->levels; level++) {
      const uint32_t size = kind->size >> level;
      const VkBufferImageCopy copy = {
         .bufferOffset = offset,
         .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, is_3d(kind) ? 1 : kind->depth},
         .imageExtent = {size, size, is_3d(kind) ? kind->depth : 1},
      };
      offset += fill_level((uint8_t *)buffer.map + offset, kind, level);
      vkCmdCopyBufferToImage(commands, buffer.buffer, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
   }
   gpu_transition(commands, image->image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                  VK_IMAGE_LAYOUT_GENERAL);
   const VkResult result = gpu_try_submit(gpu, commands);
   buffer_finish(gpu, &buffer);
   return result;
}

void
image_finish(struct image *image, struct gpu *gpu)
{
   vkDestroyImageView(gpu->device, image->view, NULL);
   vkDestroyImage(gpu->device, image->image, NULL);
   vkFreeMemory(gpu->device, image->memory, NULL);
}
