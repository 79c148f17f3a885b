/* SPDX-License-Identifier: MIT */
#include "image.h"

#include <string.h>

static uint32_t
smaller(uint32_t size, uint32_t level)
{
   return size >> level ? size >> level : 1;
}

static size_t
level_bytes(const struct image_info *info, uint32_t level)
{
   size_t columns = (smaller(info->width, level) + info->block - 1) / info->block;
   size_t rows = (smaller(info->height, level) + info->block - 1) / info->block;
   return columns * rows * smaller(info->depth, level) * info->layers * info->texel_bytes;
}

size_t
image_bytes(const struct image_info *info)
{
   size_t bytes = 0;
   for (uint32_t level = 0; level < info->levels; level++)
      bytes += level_bytes(info, level);
   return bytes;
}

static VkImageAspectFlags
aspect(VkFormat format)
{
   return format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                                          : VK_IMAGE_ASPECT_COLOR_BIT;
}

static void
create_image(struct gpu *gpu, struct image *image, const struct image_info *info)
{
   bool row = info->type == VK_IMAGE_VIEW_TYPE_1D || info->type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
   bool cube = info->type == VK_IMAGE_VIEW_TYPE_CUBE || info->type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
   const VkImageCreateInfo image_info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
      .imageType = row                                   ? VK_IMAGE_TYPE_1D
                   : info->type == VK_IMAGE_VIEW_TYPE_3D ? VK_IMAGE_TYPE_3D
                                                         : VK_IMAGE_TYPE_2D,
      .format = info->format,
      .extent = {info->width, info->height, info->depth},
      .mipLevels = info->levels,
      .arrayLayers = info->layers,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
   };
   CALL(vkCreateImage(gpu->device, &image_info, NULL, &image->image));
   image->memory = gpu_allocate_image(gpu, image->image);
   const VkImageViewCreateInfo view_info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image->image,
      .viewType = info->type,
      .format = info->format,
      .components = info->swizzle,
      .subresourceRange = {aspect(info->format), info->base_level, VK_REMAINING_MIP_LEVELS, 0, info->layers},
   };
   CALL(vkCreateImageView(gpu->device, &view_info, NULL, &image->view));
}

void
image_init(struct gpu *gpu, struct image *image, const struct image_info *info, const void *data)
{
   create_image(gpu, image, info);
   struct buffer buffer;
   buffer_init(gpu, &buffer, image_bytes(info), 0);
   memcpy(buffer.map, data, image_bytes(info));
   gpu_begin(gpu);
   gpu_transition(gpu->commands, image->image, aspect(info->format), VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
   VkDeviceSize offset = 0;
   for (uint32_t level = 0; level < info->levels; level++) {
      const VkBufferImageCopy copy = {
         .bufferOffset = offset,
         .imageSubresource = {aspect(info->format), level, 0, info->layers},
         .imageExtent = {smaller(info->width, level), smaller(info->height, level), smaller(info->depth, level)},
      };
      vkCmdCopyBufferToImage(gpu->commands, buffer.buffer, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                             &copy);
      offset += level_bytes(info, level);
   }
   gpu_transition(gpu->commands, image->image, aspect(info->format), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
   gpu_submit(gpu, gpu->commands);
   buffer_finish(gpu, &buffer);
}

void
image_finish(struct gpu *gpu, struct image *image)
{
   vkDestroyImageView(gpu->device, image->view, NULL);
   vkDestroyImage(gpu->device, image->image, NULL);
   vkFreeMemory(gpu->device, image->memory, NULL);
}
