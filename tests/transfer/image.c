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
image_supported(const struct side *side, const struct format *format, const struct shape *shape,
                VkImageUsageFlags usage, VkFormatFeatureFlags features)
{
   const VkImageCreateInfo info = create_info(format, shape, usage);
   VkImageFormatProperties limits;
   VkFormatProperties properties;
   if (vkGetPhysicalDeviceImageFormatProperties(side->gpu.physical_device, info.format, info.imageType, info.tiling,
                                                usage, info.flags, &limits))
      return false;
   vkGetPhysicalDeviceFormatProperties(side->gpu.physical_device, info.format, &properties);
   const VkFormatFeatureFlags has =
      info.tiling == VK_IMAGE_TILING_LINEAR ? properties.linearTilingFeatures : properties.optimalTilingFeatures;
   return (has & features) == features && limits.maxMipLevels >= shape->levels &&
          limits.maxArrayLayers >= shape->layers && limits.sampleCounts & shape->samples;
}

void
image_init(struct side *side, struct image *image, const struct format *format, const struct shape *shape,
           VkImageUsageFlags usage)
{
   *image = (struct image){.format = format, .shape = *shape};
   const VkImageCreateInfo info = create_info(format, shape, usage);
   CALL(vkCreateImage(side->gpu.device, &info, NULL, &image->image));
   image->memory = gpu_allocate_image(&side->gpu, image->image);
   gpu_transition(side->gpu.commands, image->image, format->aspect, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
}

void
image_finish(struct side *side, struct image *image)
{
   vkDestroyImage(side->gpu.device, image->image, NULL);
   vkFreeMemory(side->gpu.device, image->memory, NULL);
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
image_view(struct side *side, const struct image *image, uint32_t level, uint32_t first, uint32_t count)
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
   CALL(vkCreateImageView(side->gpu.device, &info, NULL, &view));
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
result_add(struct side *side, const struct format *format, VkImageAspectFlags aspect, size_t count)
{
   CHECK(side->span_count < SIDE_MAX_SPANS);
   const struct span *last = side->span_count ? &side->spans[side->span_count - 1] : NULL;
   struct span *span = &side->spans[side->span_count++];
   *span = (struct span){format, aspect, last ? aligned(last->offset + last->bytes) : 0,
                         count * aspect_bytes(format, aspect)};
   CHECK(span->offset + span->bytes <= SIDE_BUFFER_BYTES);
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
image_upload(struct side *side, const struct image *image, size_t offset)
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
         vkCmdCopyBufferToImage(side->gpu.commands, side->source.buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                                &region);
         offset = aligned(offset + level_blocks(image, level) * aspect_bytes(image->format, aspect));
         CHECK(offset <= SIDE_BUFFER_BYTES);
      }
   }
   gpu_barrier(side->gpu.commands);
}

void
image_download(struct side *side, const struct image *image)
{
   for (uint32_t level = 0; level < image->shape.levels; level++) {
      for (VkImageAspectFlags aspect = 1; aspect <= VK_IMAGE_ASPECT_STENCIL_BIT; aspect *= 2) {
         if (!(image->format->aspect & aspect))
            continue;
         const VkBufferImageCopy region = {
            .bufferOffset = result_add(side, image->format, aspect, level_blocks(image, level)),
            .imageSubresource = {aspect, level, 0, image->shape.layers},
            .imageExtent = image_level(image, level),
         };
         vkCmdCopyImageToBuffer(side->gpu.commands, image->image, VK_IMAGE_LAYOUT_GENERAL, side->result.buffer, 1,
                                &region);
      }
   }
   gpu_barrier(side->gpu.commands);
}
