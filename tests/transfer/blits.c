/* SPDX-License-Identifier: MIT */
/* vkCmdBlitImage: scaled up and down, mirrored, along mip levels, from one format to another. */
#include <string.h>

#include "operation.h"

static const VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
static const VkFormatFeatureFlags features = VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT;

static bool
nearest_supported(const struct side *side, const struct format *format, const struct shape *shape)
{
   return shape->samples == 1 && image_supported(side, format, shape, usage, features);
}

static bool
linear_supported(const struct side *side, const struct format *format, const struct shape *shape)
{
   return shape->samples == 1 && format->aspect == VK_IMAGE_ASPECT_COLOR_BIT &&
          image_supported(side, format, shape, usage, features | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
}

static VkOffset3D
end_of(VkExtent3D size)
{
   return (VkOffset3D){size.width, size.height, size.depth};
}

static void
blit(struct side *side, const struct image *from, const struct image *to, VkImageBlit region, VkFilter filter)
{
   vkCmdBlitImage(side->gpu.commands, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                  &region, filter);
   gpu_barrier(side->gpu.commands);
}

/* All of a level, to all of another. Sizes are odd: no texel's centre falls between two of the source. */
static VkImageBlit
levels(const struct image *from, uint32_t from_level, const struct image *to, uint32_t to_level)
{
   return (VkImageBlit){
      .srcSubresource = image_layers(from, from_level, 0, from->shape.layers),
      .srcOffsets[1] = end_of(image_level(from, from_level)),
      .dstSubresource = image_layers(to, to_level, 0, to->shape.layers),
      .dstOffsets[1] = end_of(image_level(to, to_level)),
   };
}

/* ---- between images of a format ---- */

static void
swap(int32_t *a, int32_t *b)
{
   const int32_t kept = *a;
   *a = *b;
   *b = kept;
}

static void
blit_parts(struct side *side, const struct image *from, const struct image *to, VkFilter filter)
{
   const bool is_flat = from->shape.type == VK_IMAGE_TYPE_1D;
   const int32_t depth = from->shape.size.depth;
   VkImageBlit region = {
      .srcSubresource = image_layers(from, 0, from->shape.layers - 1, 1),
      .srcOffsets = {{1, is_flat ? 0 : 2, 0}, {8, is_flat ? 1 : 11, depth}},
      .dstSubresource = image_layers(to, 0, 0, 1),
      .dstOffsets = {{2, is_flat ? 0 : 1, depth / 2}, {17, is_flat ? 1 : 8, depth}},
   };
   blit(side, from, to, region, filter);
   swap(&region.srcOffsets[0].x, &region.srcOffsets[1].x);
   if (depth > 1)
      swap(&region.dstOffsets[0].z, &region.dstOffsets[1].z);
   if (!is_flat)
      swap(&region.dstOffsets[0].y, &region.dstOffsets[1].y);
   region.dstSubresource.baseArrayLayer = to->shape.layers - 1;
   blit(side, from, to, region, filter);
}

static void
run(struct side *side, const struct format *format, const struct shape *shape, VkFilter filter)
{
   struct shape other = *shape;
   other.size.width = 27;
   other.size.height = shape->type == VK_IMAGE_TYPE_1D ? 1 : 15;
   other.levels = 1;
   struct image from, to, whole;
   gpu_begin(&side->gpu);
   image_init(side, &from, format, shape, usage);
   image_init(side, &to, format, &other, usage);
   image_init(side, &whole, format, &other, usage);
   image_upload(side, &from, 0);
   image_upload(side, &to, 480);
   image_upload(side, &whole, 960);
   blit_parts(side, &from, &to, filter);
   blit(side, &from, &whole, levels(&from, shape->levels - 1, &whole, 0), filter);
   image_download(side, &to);
   image_download(side, &whole);
   gpu_submit(&side->gpu, side->gpu.commands);
   image_finish(side, &from);
   image_finish(side, &to);
   image_finish(side, &whole);
}

static void
run_nearest(struct side *side, const struct format *format, const struct shape *shape)
{
   run(side, format, shape, VK_FILTER_NEAREST);
}

static void
run_linear(struct side *side, const struct format *format, const struct shape *shape)
{
   run(side, format, shape, VK_FILTER_LINEAR);
}

const struct operation blit_nearest_operation = {
   .name = "nearest blit", .graphics = true, .supported = nearest_supported, .run = run_nearest};
const struct operation blit_linear_operation = {
   .name = "linear blit", .graphics = true, .filters = true, .supported = linear_supported, .run = run_linear};

/* ---- mip levels, each from the one before ---- */

static bool
mips_supported(const struct side *side, const struct format *format, const struct shape *shape)
{
   return shape->levels > 1 && linear_supported(side, format, shape);
}

static void
run_mips(struct side *side, const struct format *format, const struct shape *shape)
{
   struct image image;
   gpu_begin(&side->gpu);
   image_init(side, &image, format, shape, usage);
   image_upload(side, &image, 0);
   for (uint32_t level = 1; level < shape->levels; level++)
      blit(side, &image, &image, levels(&image, level - 1, &image, level), VK_FILTER_LINEAR);
   image_download(side, &image);
   gpu_submit(&side->gpu, side->gpu.commands);
   image_finish(side, &image);
}

const struct operation blit_mips_operation = {
   .name = "mip levels", .graphics = true, .filters = true, .supported = mips_supported, .run = run_mips};

/* ---- between formats ---- */

static const struct format *
find_format(VkFormat wanted)
{
   const struct format *format = formats;
   while (format->format != wanted)
      format++;
   return format;
}

static const struct format *
source_format(const struct format *format)
{
   static const VkFormat sources[] = {
      [NUMBERS_FLOAT] = VK_FORMAT_R8G8B8A8_UNORM,
      [NUMBERS_UINT] = VK_FORMAT_R8G8B8A8_UINT,
      [NUMBERS_SINT] = VK_FORMAT_R8G8B8A8_SINT,
   };
   return find_format(sources[format->numbers]);
}

static bool
convert_supported(const struct side *side, const struct format *format, const struct shape *shape)
{
   return shape->samples == 1 && format->aspect == VK_IMAGE_ASPECT_COLOR_BIT &&
          image_supported(side, format, shape, usage, VK_FORMAT_FEATURE_BLIT_DST_BIT) &&
          image_supported(side, source_format(format), shape, usage, VK_FORMAT_FEATURE_BLIT_SRC_BIT);
}

static void
run_convert(struct side *side, const struct format *format, const struct shape *shape)
{
   struct image from, to;
   gpu_begin(&side->gpu);
   image_init(side, &from, source_format(format), shape, usage);
   image_init(side, &to, format, shape, usage);
   image_upload(side, &from, 0);
   image_upload(side, &to, 480);
   blit(side, &from, &to, levels(&from, 0, &to, 0), VK_FILTER_NEAREST);
   image_download(side, &to);
   gpu_submit(&side->gpu, side->gpu.commands);
   image_finish(side, &from);
   image_finish(side, &to);
}

const struct operation blit_convert_operation = {.name = "blit to another format",
                                                 .graphics = true,
                                                 .filters = true,
                                                 .supported = convert_supported,
                                                 .run = run_convert};
