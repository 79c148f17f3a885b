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
create_image(struct image *image, const struct device *device, const struct image_kind *kind)
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
   DEVICE_CALL(vkCreateImage(device->device, &info, NULL, &image->image));
   VkMemoryRequirements requirements;
   vkGetImageMemoryRequirements(device->device, image->image, &requirements);
   image->memory = device_allocate(device, &requirements, 0);
   DEVICE_CALL(vkBindImageMemory(device->device, image->image, image->memory, 0));

   const VkImageViewCreateInfo view_info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image->image,
      .viewType = kind->type,
      .format = kind->format,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, kind->levels, 0, info.arrayLayers},
   };
   DEVICE_CALL(vkCreateImageView(device->device, &view_info, NULL, &image->view));
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

static void
record_barrier(VkCommandBuffer commands, const struct image *image, VkImageLayout before, VkImageLayout after)
{
   const VkImageMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .oldLayout = before,
      .newLayout = after,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .image = image->image,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS},
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                        NULL, 1, &barrier);
}

VkResult
image_init(struct image *image, const struct device *device, const struct image_kind *kind)
{
   create_image(image, device, kind);

   const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = 1 << 14,
      .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
   };
   VkBuffer buffer;
   DEVICE_CALL(vkCreateBuffer(device->device, &info, NULL, &buffer));
   VkMemoryRequirements requirements;
   vkGetBufferMemoryRequirements(device->device, buffer, &requirements);
   VkDeviceMemory memory = device_allocate(device, &requirements,
                                           VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
   DEVICE_CALL(vkBindBufferMemory(device->device, buffer, memory, 0));
   void *map;
   DEVICE_CALL(vkMapMemory(device->device, memory, 0, VK_WHOLE_SIZE, 0, &map));

   VkCommandBuffer commands = device_begin(device);
   record_barrier(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
   size_t offset = 0;
   for (uint32_t level = 0; level < kind->levels; level++) {
      const uint32_t size = kind->size >> level;
      const VkBufferImageCopy copy = {
         .bufferOffset = offset,
         .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, is_3d(kind) ? 1 : kind->depth},
         .imageExtent = {size, size, is_3d(kind) ? kind->depth : 1},
      };
      offset += fill_level((uint8_t *)map + offset, kind, level);
      vkCmdCopyBufferToImage(commands, buffer, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
   }
   record_barrier(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
   const VkResult result = device_submit(device, commands);
   vkDestroyBuffer(device->device, buffer, NULL);
   vkFreeMemory(device->device, memory, NULL);
   return result;
}

void
image_finish(struct image *image, const struct device *device)
{
   vkDestroyImageView(device->device, image->view, NULL);
   vkDestroyImage(device->device, image->image, NULL);
   vkFreeMemory(device->device, image->memory, NULL);
}
