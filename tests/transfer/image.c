/* SPDX-License-Identifier: MIT */
#include "image.h"

static VkImageCreateInfo
create_info(const struct format *format, const struct shape *shape, VkImageUsageFlags usage)
{
   return (VkImageCreateInfo){
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .imageType = shape->type,
      .format = format->format,
      .extent = shape->size,
      .mipLevels = shape->levels,
      .arrayLayers = shape->layers,
      .samples = (VkSampleCountFlagBits)shape->samples,
      .tiling = shape->tiling,
      .usage = usage,
   };
}

bool
image_supported(const struct gpu *gpu, const struct format *format, const struct shape *shape, VkImageUsageFlags usage,
                VkFormatFeatureFlags features)
{
   const VkImageCreateInfo info = create_info(format, shape, usage);
   VkImageFormatProperties limits;
   VkFormatProperties properties;
   if (vkGetPhysicalDeviceImageFormatProperties(gpu->physical_device, info.format, info.imageType, info.tiling, usage,
                                                info.flags, &limits))
      return false;
   vkGetPhysicalDeviceFormatProperties(gpu->physical_device, info.format, &properties);
   const VkFormatFeatureFlags has =
      info.tiling == VK_IMAGE_TILING_LINEAR ? properties.linearTilingFeatures : properties.optimalTilingFeatures;
   return (has & features) == features && limits.maxMipLevels >= shape->levels &&
          limits.maxArrayLayers >= shape->layers && limits.sampleCounts & shape->samples;
}

static void
allocate(struct gpu *gpu, struct image *image)
{
   VkMemoryRequirements requirements;
   vkGetImageMemoryRequirements(gpu->device, image->image, &requirements);
   const VkMemoryAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .allocationSize = requirements.size,
      .memoryTypeIndex = gpu_memory_type(gpu, requirements.memoryTypeBits, 0),
   };
   CALL(vkAllocateMemory(gpu->device, &info, NULL, &image->memory));
   CALL(vkBindImageMemory(gpu->device, image->image, image->memory, 0));
}

void
image_init(struct gpu *gpu, struct image *image, const struct format *format, const struct shape *shape,
           VkImageUsageFlags usage)
{
   *image = (struct image){.format = format, .shape = *shape};
   const VkImageCreateInfo info = create_info(format, shape, usage);
   CALL(vkCreateImage(gpu->device, &info, NULL, &image->image));
   allocate(gpu, image);
   const VkImageMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .newLayout = VK_IMAGE_LAYOUT_GENERAL,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .image = image->image,
      .subresourceRange = image_range(image, 0, shape->levels, 0, shape->layers),
   };
   vkCmdPipelineBarrier(gpu->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                        NULL, 0, NULL, 1, &barrier);
}

void
image_finish(struct gpu *gpu, struct image *image)
{
   vkDestroyImage(gpu->device, image->image, NULL);
   vkFreeMemory(gpu->device, image->memory, NULL);
}

/* ---- parts ---- */

static uint32_t
minified(uint32_t size, uint32_t level)
{
   return size >> level ? size >> level : 1;
}

VkExtent3D
image_level(const struct image *image, uint32_t level)
{
   const VkExtent3D *size = &image->shape.size;
   return (VkExtent3D){minified(size->width, level), minified(size->height, level), minified(size->depth, level)};
}

VkImageSubresourceLayers
image_layers(const struct image *image, uint32_t level, uint32_t first, uint32_t count)
{
   return (VkImageSubresourceLayers){image->format->aspect, level, first, count};
}

VkImageSubresourceRange
image_range(const struct image *image, uint32_t level, uint32_t levels, uint32_t first, uint32_t count)
{
   return (VkImageSubresourceRange){image->format->aspect, level, levels, first, count};
}

VkImageView
image_view(struct gpu *gpu, const struct image *image, uint32_t level, uint32_t first, uint32_t count)
{
   static const VkImageViewType types[] = {VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                                           VK_IMAGE_VIEW_TYPE_3D};
   const VkImageViewCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image->image,
      .viewType = types[image->shape.type],
      .format = image->format->format,
      .subresourceRange = image_range(image, level, 1, first, count),
   };
   VkImageView view;
   CALL(vkCreateImageView(gpu->device, &info, NULL, &view));
   return view;
}

/* ---- buffers ---- */

size_t
aspect_bytes(const struct format *format, VkImageAspectFlags aspect)
{
   return aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? 1 : format->bytes;
}

/* A multiple of every texel's size, and of 4. */
static size_t
aligned(size_t offset)
{
   return (offset + 47) / 48 * 48;
}

size_t
result_add(struct gpu *gpu, const struct format *format, VkImageAspectFlags aspect, size_t count)
{
   CHECK(gpu->span_count < GPU_MAX_SPANS);
   const struct span *last = gpu->span_count ? &gpu->spans[gpu->span_count - 1] : NULL;
   struct span *span = &gpu->spans[gpu->span_count++];
   *span = (struct span){format, aspect, last ? aligned(last->offset + last->bytes) : 0,
                         count * aspect_bytes(format, aspect)};
   CHECK(span->offset + span->bytes <= GPU_BUFFER_BYTES);
   return span->offset;
}

static size_t
level_blocks(const struct image *image, uint32_t level)
{
   const struct format *format = image->format;
   const VkExtent3D size = image_level(image, level);
   return (size_t)((size.width + format->width - 1) / format->width) *
          ((size.height + format->height - 1) / format->height) * size.depth * image->shape.layers;
}

void
image_upload(struct gpu *gpu, const struct image *image, size_t offset)
{
   for (uint32_t level = 0; level < image->shape.levels; level++) {
      for (VkImageAspectFlags aspect = 1; aspect <= VK_IMAGE_ASPECT_STENCIL_BIT; aspect *= 2) {
         if (!(image->format->aspect & aspect))
            continue;
         const VkBufferImageCopy region = {
            .bufferOffset = offset,
            .imageSubresource = {aspect, level, 0, image->shape.layers},
            .imageExtent = image_level(image, level),
         };
         vkCmdCopyBufferToImage(gpu->commands, gpu->source.buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
         offset = aligned(offset + level_blocks(image, level) * aspect_bytes(image->format, aspect));
         CHECK(offset <= GPU_BUFFER_BYTES);
      }
   }
   gpu_barrier(gpu);
}

void
image_download(struct gpu *gpu, const struct image *image)
{
   for (uint32_t level = 0; level < image->shape.levels; level++) {
      for (VkImageAspectFlags aspect = 1; aspect <= VK_IMAGE_ASPECT_STENCIL_BIT; aspect *= 2) {
         if (!(image->format->aspect & aspect))
            continue;
         const VkBufferImageCopy region = {
            .bufferOffset = result_add(gpu, image->format, aspect, level_blocks(image, level)),
            .imageSubresource = {aspect, level, 0, image->shape.layers},
            .imageExtent = image_level(image, level),
         };
         vkCmdCopyImageToBuffer(gpu->commands, image->image, VK_IMAGE_LAYOUT_GENERAL, gpu->result.buffer, 1, &region);
      }
   }
   gpu_barrier(gpu);
}
