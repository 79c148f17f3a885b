/* SPDX-License-Identifier: MIT */
/* Copies between images of different kinds, and within secondary command buffers. Those of a kind are tests/transfer's.
 */
#include <string.h>

#include "picture.h"
#include "test.h"

enum { BYTES = 1 << 18 };

static VkImageSubresourceLayers
part(VkImageAspectFlags aspect, uint32_t level, uint32_t layer)
{
   return (VkImageSubresourceLayers){aspect, level, layer, 1};
}

static void
buffers_init(struct gpu *gpu, struct buffer *from, struct buffer *to)
{
   buffer_init(gpu, from, BYTES, 0);
   buffer_init(gpu, to, BYTES, 0);
   buffer_scramble(from);
}

static void
buffers_finish(struct gpu *gpu, struct buffer *from, struct buffer *to)
{
   buffer_finish(gpu, from);
   buffer_finish(gpu, to);
}

/* The same bytes, and nothing after them. */
static void
check_same(const struct buffer *from, const struct buffer *to, size_t bytes)
{
   CHECK(!memcmp(from->map, to->map, bytes));
   CHECK_EQUAL(((const uint8_t *)to->map)[bytes], 0xcd);
}

/* ---- blocks and texels of their size ---- */

static VkExtent3D
in_blocks(VkExtent3D size)
{
   return (VkExtent3D){(size.width + 3) / 4, (size.height + 3) / 4, 1};
}

/* Of each level; back only where it is whole blocks. */
static void
check_blocks(struct gpu *gpu, VkFormat blocks, VkFormat texels, uint32_t bytes)
{
   VkImageCreateInfo info = picture_info(blocks, 40, 24);
   info.mipLevels = 4;
   if (!picture_supported(gpu, &info))
      return;
   struct picture compressed;
   struct buffer from, to;
   buffers_init(gpu, &from, &to);
   picture_init(gpu, &compressed, &info, VK_IMAGE_ASPECT_COLOR_BIT);
   for (uint32_t level = 0; level < info.mipLevels; level++) {
      const VkExtent3D size = picture_level(&compressed, level), count = in_blocks(size);
      const size_t all = (size_t)count.width * count.height * bytes;
      const VkImageSubresourceLayers here = part(VK_IMAGE_ASPECT_COLOR_BIT, level, 0),
                                     there = part(VK_IMAGE_ASPECT_COLOR_BIT, 0, 0);
      const VkImageCreateInfo plain = picture_info(texels, count.width, count.height);
      struct picture uncompressed;
      picture_init(gpu, &uncompressed, &plain, VK_IMAGE_ASPECT_COLOR_BIT);
      picture_upload(gpu, &compressed, VK_IMAGE_ASPECT_COLOR_BIT, level, size, &from, 0);
      picture_copy(gpu, &compressed, here, &uncompressed, there, size);
      memset(to.map, 0xcd, BYTES);
      picture_download(gpu, &uncompressed, VK_IMAGE_ASPECT_COLOR_BIT, 0, count, &to, 0);
      check_same(&from, &to, all);
      if (size.width % 4 == 0 && size.height % 4 == 0) {
         const struct buffer behind = {.map = (uint8_t *)from.map + 4096};
         picture_upload(gpu, &uncompressed, VK_IMAGE_ASPECT_COLOR_BIT, 0, count, &from, 4096);
         picture_copy(gpu, &uncompressed, there, &compressed, here, count);
         picture_download(gpu, &compressed, VK_IMAGE_ASPECT_COLOR_BIT, level, size, &to, 0);
         check_same(&behind, &to, all);
      }
      picture_finish(gpu, &uncompressed);
   }
   picture_finish(gpu, &compressed);
   buffers_finish(gpu, &from, &to);
}

static bool
blocks(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   check_blocks(&gpu, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_FORMAT_R32G32_UINT, 8);
   check_blocks(&gpu, VK_FORMAT_BC4_UNORM_BLOCK, VK_FORMAT_R16G16B16A16_UINT, 8);
   check_blocks(&gpu, VK_FORMAT_BC7_SRGB_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 16);
   check_blocks(&gpu, VK_FORMAT_BC3_UNORM_BLOCK, VK_FORMAT_R32G32B32A32_SFLOAT, 16);
   gpu_close(&gpu);
   return true;
}

/* ---- planes ---- */

struct planes {
   VkFormat format;
   uint32_t count;
   VkFormat formats[3]; /* of images that copy with each */
   uint32_t bytes[3];   /* of its texels */
   uint32_t shift[2];   /* by which those behind the first are smaller */
};

static const VkImageAspectFlags plane_aspects[] = {VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT,
                                                   VK_IMAGE_ASPECT_PLANE_2_BIT};

/* Each plane goes by an image of its own into another planar image. */
static bool
check_planes(struct gpu *gpu, const struct planes *planes)
{
   const VkImageCreateInfo info = picture_info(planes->format, 44, 28);
   if (!picture_supported(gpu, &info))
      return false;
   struct picture first, second;
   struct buffer from, to;
   buffers_init(gpu, &from, &to);
   picture_init(gpu, &first, &info, VK_IMAGE_ASPECT_COLOR_BIT);
   picture_init(gpu, &second, &info, VK_IMAGE_ASPECT_COLOR_BIT);
   size_t offset = 0;
   for (uint32_t i = 0; i < planes->count; i++) {
      const VkExtent3D size = {info.extent.width >> (i ? planes->shift[0] : 0),
                               info.extent.height >> (i ? planes->shift[1] : 0), 1};
      const VkImageCreateInfo plain = picture_info(planes->formats[i], size.width, size.height);
      const VkImageSubresourceLayers plane = part(plane_aspects[i], 0, 0), all = part(VK_IMAGE_ASPECT_COLOR_BIT, 0, 0);
      struct picture single;
      picture_init(gpu, &single, &plain, VK_IMAGE_ASPECT_COLOR_BIT);
      picture_upload(gpu, &first, plane_aspects[i], 0, size, &from, offset);
      picture_copy(gpu, &first, plane, &single, all, size);
      picture_copy(gpu, &single, all, &second, plane, size);
      picture_finish(gpu, &single);
      offset += (size_t)size.width * size.height * planes->bytes[i];
   }
   offset = 0;
   for (uint32_t i = 0; i < planes->count; i++) {
      const VkExtent3D size = {info.extent.width >> (i ? planes->shift[0] : 0),
                               info.extent.height >> (i ? planes->shift[1] : 0), 1};
      picture_download(gpu, &second, plane_aspects[i], 0, size, &to, offset);
      offset += (size_t)size.width * size.height * planes->bytes[i];
   }
   check_same(&from, &to, offset);
   picture_finish(gpu, &first);
   picture_finish(gpu, &second);
   buffers_finish(gpu, &from, &to);
   return true;
}

static bool
planes(void)
{
   static const struct planes all[] = {
      {VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM,
       3,
       {VK_FORMAT_R8_UNORM, VK_FORMAT_R8_UINT, VK_FORMAT_R8_UNORM},
       {1, 1, 1},
       {1, 1}},
      {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, 2, {VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM}, {1, 2}, {1, 1}},
      {VK_FORMAT_G8_B8R8_2PLANE_422_UNORM, 2, {VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM}, {1, 2}, {1, 0}},
      {VK_FORMAT_G16_B16R16_2PLANE_420_UNORM, 2, {VK_FORMAT_R16_UNORM, VK_FORMAT_R16G16_UNORM}, {2, 4}, {1, 1}},
   };
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   bool any = false;
   for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
      any |= check_planes(&gpu, &all[i]);
   gpu_close(&gpu);
   return any;
}

/* ---- VK_KHR_maintenance8: depths and stencils as colours ---- */

static void
check_depth(struct gpu *gpu, VkFormat format, VkImageAspectFlags aspect, VkFormat color, uint32_t bytes)
{
   const VkImageCreateInfo info = picture_info(format, 37, 29), plain = picture_info(color, 37, 29);
   if (!picture_supported(gpu, &info))
      return;
   const size_t all = (size_t)info.extent.width * info.extent.height * bytes;
   const VkImageSubresourceLayers depth = part(aspect, 0, 0), colors = part(VK_IMAGE_ASPECT_COLOR_BIT, 0, 0);
   struct buffer from, to;
   struct picture first, second, between;
   buffers_init(gpu, &from, &to);
   for (size_t i = 0; i < all / 4 && color == VK_FORMAT_R32_SFLOAT; i++)
      ((float *)from.map)[i] = (float)(((const uint32_t *)from.map)[i] >> 8) / (1 << 24);
   const VkImageAspectFlags aspects =
      format == VK_FORMAT_D32_SFLOAT_S8_UINT ? VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT : aspect;
   picture_init(gpu, &first, &info, aspects);
   picture_init(gpu, &second, &info, aspects);
   picture_init(gpu, &between, &plain, VK_IMAGE_ASPECT_COLOR_BIT);
   picture_upload(gpu, &first, aspect, 0, info.extent, &from, 0);
   picture_copy(gpu, &first, depth, &between, colors, info.extent);
   picture_copy(gpu, &between, colors, &second, depth, info.extent);
   picture_download(gpu, &second, aspect, 0, info.extent, &to, 0);
   check_same(&from, &to, all);
   picture_finish(gpu, &first);
   picture_finish(gpu, &second);
   picture_finish(gpu, &between);
   buffers_finish(gpu, &from, &to);
}

static bool
depths(void)
{
   VkPhysicalDeviceMaintenance8FeaturesKHR features = {.sType =
                                                          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_8_FEATURES_KHR};
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_KHR_MAINTENANCE_8_EXTENSION_NAME, &features))
      return false;
   const bool has = gpu.family == gpu.general; /* depths are not for other queues */
   if (has) {
      check_depth(&gpu, VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_FORMAT_R32_SFLOAT, 4);
      check_depth(&gpu, VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_DEPTH_BIT, VK_FORMAT_R16_UNORM, 2);
      check_depth(&gpu, VK_FORMAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, VK_FORMAT_R8_UINT, 1);
      check_depth(&gpu, VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, VK_FORMAT_R8_UINT, 1);
      check_depth(&gpu, VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_FORMAT_R32_SFLOAT, 4);
   }
   gpu_close(&gpu);
   return has;
}

/* ---- secondary command buffers ---- */

enum { SMALL = 16, LARGE = 2 * SMALL };

/* An upload, a clear of another image, a blit or (where there are none) a copy into it, and a download. */
static void
record_secondary(VkCommandBuffer commands, const struct picture *from, const struct picture *to,
                 const struct buffer *source, const struct buffer *result, bool blit)
{
   const VkImageSubresourceLayers all = part(VK_IMAGE_ASPECT_COLOR_BIT, 0, 0);
   const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
   const VkBufferImageCopy up = {.imageSubresource = all, .imageExtent = from->info.extent};
   const VkBufferImageCopy down = {.imageSubresource = all, .imageExtent = to->info.extent};
   const VkClearColorValue color = {.uint32 = {5, 6, 7, 8}};
   vkCmdCopyBufferToImage(commands, source->buffer, from->image, VK_IMAGE_LAYOUT_GENERAL, 1, &up);
   vkCmdClearColorImage(commands, to->image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range);
   gpu_barrier(commands);
   if (blit) {
      const VkImageBlit region = {
         .srcSubresource = all,
         .srcOffsets[1] = {SMALL, SMALL, 1},
         .dstSubresource = all,
         .dstOffsets[1] = {LARGE, SMALL, 1},
      };
      vkCmdBlitImage(commands, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region,
                     VK_FILTER_NEAREST);
   } else {
      const VkImageCopy region = {.srcSubresource = all, .dstSubresource = all, .extent = from->info.extent};
      vkCmdCopyImage(commands, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
   }
   gpu_barrier(commands);
   vkCmdCopyImageToBuffer(commands, to->image, VK_IMAGE_LAYOUT_GENERAL, result->buffer, 1, &down);
}

static void
check_secondary(const struct buffer *source, const struct buffer *result, bool blit)
{
   const uint32_t *from = source->map, *to = result->map;
   for (uint32_t y = 0; y < LARGE; y++)
      for (uint32_t x = 0; x < LARGE; x++) {
         const bool written = y < SMALL && (blit || x < SMALL);
         CHECK_EQUAL(to[y * LARGE + x], written ? from[y * SMALL + (blit ? x / 2 : x)] : 0x08070605);
      }
}

static bool
secondary(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   const bool blit = gpu.family == gpu.general;
   const VkImageCreateInfo small = picture_info(VK_FORMAT_R8G8B8A8_UINT, SMALL, SMALL),
                           large = picture_info(VK_FORMAT_R8G8B8A8_UINT, LARGE, LARGE);
   struct picture from, to;
   struct buffer source, result;
   buffers_init(&gpu, &source, &result);
   picture_init(&gpu, &from, &small, VK_IMAGE_ASPECT_COLOR_BIT);
   picture_init(&gpu, &to, &large, VK_IMAGE_ASPECT_COLOR_BIT);
   const VkCommandBuffer inner = gpu_begin_secondary(&gpu, NULL);
   record_secondary(inner, &from, &to, &source, &result, blit);
   CALL(vkEndCommandBuffer(inner));
   for (int run = 0; run < 2; run++) { /* with other contents the second time */
      ((uint32_t *)source.map)[17] = run;
      const VkCommandBuffer commands = gpu_begin(&gpu);
      vkCmdExecuteCommands(commands, 1, &inner);
      gpu_submit(&gpu, commands);
      check_secondary(&source, &result, blit);
   }
   vkFreeCommandBuffers(gpu.device, gpu.pool, 1, &inner);
   picture_finish(&gpu, &from);
   picture_finish(&gpu, &to);
   buffers_finish(&gpu, &source, &result);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "compressed and uncompressed", .run = blocks},
   {.name = "planes", .run = planes},
   {.name = "depths and stencils as colours", .run = depths, .not_validated = true},
   {.name = "secondary command buffers", .run = secondary},
   {.name = NULL},
};
