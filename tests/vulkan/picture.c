/* SPDX-License-Identifier: MIT */
#include "picture.h"

VkImageCreateInfo
picture_info(VkFormat format, uint32_t width, uint32_t height)
{
   return (VkImageCreateInfo){
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .imageType = VK_IMAGE_TYPE_2D,
      .format = format,
      .extent = {width, height, 1},
      .mipLevels = 1,
      .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .tiling = VK_IMAGE_TILING_OPTIMAL,
      .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
   };
}

bool
picture_supported(const struct gpu *gpu, const VkImageCreateInfo *info)
{
   VkImageFormatProperties limits;
   return vkGetPhysicalDeviceImageFormatProperties(gpu->physical_device, info->format, info->imageType, info->tiling,
                                                   info->usage, info->flags, &limits) == VK_SUCCESS &&
          limits.sampleCounts & info->samples;
}

void
picture_init(struct gpu *gpu, struct picture *picture, const VkImageCreateInfo *info, VkImageAspectFlags aspects)
{
   picture->info = *info;
   CALL(vkCreateImage(gpu->device, info, NULL, &picture->image));
   picture->memory = gpu_allocate_image(gpu, picture->image);
   const VkCommandBuffer commands = gpu_begin(gpu);
   gpu_transition(commands, picture->image, aspects, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
   gpu_submit(gpu, commands);
}

void
picture_finish(struct gpu *gpu, struct picture *picture)
{
   vkDestroyImage(gpu->device, picture->image, NULL);
   vkFreeMemory(gpu->device, picture->memory, NULL);
}

static uint32_t
minified(uint32_t size, uint32_t level)
{
   return size >> level ? size >> level : 1;
}

VkExtent3D
picture_level(const struct picture *picture, uint32_t level)
{
   const VkExtent3D *size = &picture->info.extent;
   return (VkExtent3D){minified(size->width, level), minified(size->height, level), minified(size->depth, level)};
}

static VkBufferImageCopy
region_of(const struct picture *picture, VkImageAspectFlags aspect, uint32_t level, VkExtent3D size,
          VkDeviceSize offset)
{
   return (VkBufferImageCopy){
      .bufferOffset = offset,
      .imageSubresource = {aspect, level, 0, picture->info.arrayLayers},
      .imageExtent = size,
   };
}

void
picture_upload(struct gpu *gpu, const struct picture *picture, VkImageAspectFlags aspect, uint32_t level,
               VkExtent3D size, const struct buffer *from, VkDeviceSize offset)
{
   const VkBufferImageCopy region = region_of(picture, aspect, level, size, offset);
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdCopyBufferToImage(commands, from->buffer, picture->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
   gpu_submit(gpu, commands);
}

void
picture_download(struct gpu *gpu, const struct picture *picture, VkImageAspectFlags aspect, uint32_t level,
                 VkExtent3D size, const struct buffer *to, VkDeviceSize offset)
{
   const VkBufferImageCopy region = region_of(picture, aspect, level, size, offset);
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdCopyImageToBuffer(commands, picture->image, VK_IMAGE_LAYOUT_GENERAL, to->buffer, 1, &region);
   gpu_submit(gpu, commands);
}

void
picture_copy(struct gpu *gpu, const struct picture *from, VkImageSubresourceLayers from_part, const struct picture *to,
             VkImageSubresourceLayers to_part, VkExtent3D size)
{
   const VkImageCopy region = {.srcSubresource = from_part, .dstSubresource = to_part, .extent = size};
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdCopyImage(commands, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
   gpu_submit(gpu, commands);
}

void
buffer_scramble(struct buffer *buffer)
{
   uint32_t state = 0x9e3779b9, *words = buffer->map;
   for (VkDeviceSize i = 0; i < buffer->size / 4; i++) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      words[i] = state;
   }
}
