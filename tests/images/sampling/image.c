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
create_image(struct device *device, struct image *image, const struct image_info *info)
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
   CALL(device->CreateImage(device->device, &image_info, NULL, &image->image));
   VkMemoryRequirements requirements;
   device->GetImageMemoryRequirements(device->device, image->image, &requirements);
   image->memory = device_allocate(device, &requirements, 0);
   CALL(device->BindImageMemory(device->device, image->image, image->memory, 0));
   const VkImageViewCreateInfo view_info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image->image,
      .viewType = info->type,
      .format = info->format,
      .components = info->swizzle,
      .subresourceRange = {aspect(info->format), info->base_level, VK_REMAINING_MIP_LEVELS, 0, info->layers},
   };
   CALL(device->CreateImageView(device->device, &view_info, NULL, &image->view));
}

static void
transition(struct device *device, VkImage image, VkFormat format, VkImageLayout before, VkImageLayout after)
{
   const VkImageMemoryBarrier info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .oldLayout = before,
      .newLayout = after,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .image = image,
      .subresourceRange = {aspect(format), 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS},
   };
   device->CmdPipelineBarrier(device->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                              0, 0, NULL, 0, NULL, 1, &info);
}

void
image_init(struct device *device, struct image *image, const struct image_info *info, const void *data)
{
   create_image(device, image, info);
   struct buffer buffer;
   buffer_init(device, &buffer, image_bytes(info));
   memcpy(buffer.map, data, image_bytes(info));
   device_begin(device);
   transition(device, image->image, info->format, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
   VkDeviceSize offset = 0;
   for (uint32_t level = 0; level < info->levels; level++) {
      const VkBufferImageCopy copy = {
         .bufferOffset = offset,
         .imageSubresource = {aspect(info->format), level, 0, info->layers},
         .imageExtent = {smaller(info->width, level), smaller(info->height, level), smaller(info->depth, level)},
      };
      device->CmdCopyBufferToImage(device->commands, buffer.buffer, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                   1, &copy);
      offset += level_bytes(info, level);
   }
   transition(device, image->image, info->format, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
              VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
   device_submit(device);
   buffer_finish(device, &buffer);
}

void
image_finish(struct device *device, struct image *image)
{
   device->DestroyImageView(device->device, image->view, NULL);
   device->DestroyImage(device->device, image->image, NULL);
   device->FreeMemory(device->device, image->memory, NULL);
}
