/* SPDX-License-Identifier: MIT */
/* vkCmdCopyBufferToImage, vkCmdCopyImageToBuffer, vkCmdCopyImage: all of an image, and parts at odd places. */
#include "operation.h"

static bool
supported(const struct side *side, const struct format *format, const struct shape *shape)
{
   const bool is_color = format->aspect == VK_IMAGE_ASPECT_COLOR_BIT; /* others are for queues with graphics */
   return shape->samples == 1 && (is_color || side->graphics) &&
          image_supported(side, format, shape, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                          VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT);
}

/* A part of a level that begins at a block and ends at one, or where the level does. */
struct part {
   VkOffset3D offset;
   VkExtent3D size;
};

static uint32_t
in_blocks(uint32_t texels, uint32_t block)
{
   return texels / block * block;
}

static struct part
part_of(const struct image *image, uint32_t level)
{
   const struct format *format = image->format;
   const VkExtent3D whole = image_level(image, level);
   const VkOffset3D offset = {in_blocks(whole.width / 4, format->width), in_blocks(whole.height / 3, format->height),
                              whole.depth / 2};
   return (struct part){offset, {whole.width - offset.x, whole.height - offset.y, whole.depth - offset.z}};
}

static uint32_t
last_layer(const struct image *image)
{
   return image->shape.layers - 1;
}

/* Rows and slices of the buffer are longer than the part. */
static VkBufferImageCopy
padded_copy(const struct image *image, VkImageAspectFlags aspect, struct part part, size_t offset)
{
   const struct format *format = image->format;
   const bool flat = image->shape.type == VK_IMAGE_TYPE_1D;
   return (VkBufferImageCopy){
      .bufferOffset = offset,
      .bufferRowLength = in_blocks(part.size.width, format->width) + 3u * format->width,
      .bufferImageHeight = flat ? 0 : in_blocks(part.size.height, format->height) + 2u * format->height,
      .imageSubresource = {aspect, 0, last_layer(image), 1},
      .imageOffset = part.offset,
      .imageExtent = part.size,
   };
}

static void
copy_parts(struct side *side, const struct image *image)
{
   const struct format *format = image->format;
   const struct part part = part_of(image, 0);
   for (VkImageAspectFlags aspect = 1; aspect <= VK_IMAGE_ASPECT_STENCIL_BIT; aspect *= 2) {
      if (!(format->aspect & aspect))
         continue;
      VkBufferImageCopy region = padded_copy(image, aspect, part, 96);
      vkCmdCopyBufferToImage(side->gpu.commands, side->source.buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                             &region);
      gpu_barrier(side->gpu.commands);
      const uint32_t rows = region.bufferImageHeight ? region.bufferImageHeight / format->height : 1;
      const size_t texels = (size_t)region.bufferRowLength / format->width * rows * part.size.depth;
      region.bufferOffset = result_add(side, format, aspect, texels);
      vkCmdCopyImageToBuffer(side->gpu.commands, image->image, VK_IMAGE_LAYOUT_GENERAL, side->result.buffer, 1,
                             &region);
      gpu_barrier(side->gpu.commands);
   }
}

/* What is at the end of one goes to the beginning of the other. */
static void
copy_between(struct side *side, const struct image *from, const struct image *to)
{
   const struct part part = part_of(from, 0);
   const uint32_t layer = last_layer(from), level = from->shape.levels - 1;
   const VkImageCopy regions[] = {
      {
         .srcSubresource = image_layers(from, 0, layer, 1),
         .srcOffset = part.offset,
         .dstSubresource = image_layers(to, 0, 0, 1),
         .extent = {in_blocks(part.size.width, from->format->width), in_blocks(part.size.height, from->format->height),
                    part.size.depth},
      },
      {
         .srcSubresource = image_layers(from, level, 0, from->shape.layers),
         .dstSubresource = image_layers(to, level, 0, from->shape.layers),
         .extent = image_level(from, level),
      },
   };
   vkCmdCopyImage(side->gpu.commands, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL,
                  1 + !!level, regions);
   gpu_barrier(side->gpu.commands);
}

static void
run(struct side *side, const struct format *format, const struct shape *shape)
{
   const VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
   struct image from, to;
   gpu_begin(&side->gpu);
   image_init(side, &from, format, shape, usage);
   image_init(side, &to, format, shape, usage);
   image_upload(side, &from, 0);
   image_upload(side, &to, 480);
   copy_between(side, &from, &to);
   copy_parts(side, &from);
   image_download(side, &from);
   image_download(side, &to);
   gpu_submit(&side->gpu, side->gpu.commands);
   image_finish(side, &from);
   image_finish(side, &to);
}

static void
run_round_trip(struct side *side, const struct format *format, const struct shape *shape)
{
   struct image image;
   gpu_begin(&side->gpu);
   image_init(side, &image, format, shape, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
   image_upload(side, &image, 0);
   image_download(side, &image);
   gpu_submit(&side->gpu, side->gpu.commands);
   image_finish(side, &image);
}

const struct operation round_trip_operation = {.name = "round trip", .supported = supported, .run = run_round_trip};
const struct operation copy_operation = {.name = "copy", .supported = supported, .run = run};
