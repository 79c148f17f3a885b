/* SPDX-License-Identifier: MIT */
/* Views of another kind than their image: blocks as texels, slices of a volume as two-dimensional images. */
#include <string.h>

#include "picture.h"
#include "set.h"
#include "test.h"

static const VkDescriptorType storage_image = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;

/* Numbers the components of a view's texels; `size` is its size. */
static void
number_words(struct gpu *gpu, const VkImageViewCreateInfo *info, VkExtent3D size, uint32_t first)
{
   struct set set;
   VkImageView view;
   CALL(vkCreateImageView(gpu->device, info, NULL, &view));
   set_init(gpu, &set, 1, &storage_image);
   set_write_image(gpu, &set, 0, storage_image, view, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL);
   const VkPipeline pipeline = gpu_create_pipeline(gpu, set.layout, "words.comp", 0);
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, set.layout, 0, 1, &set.set, 0, NULL);
   vkCmdPushConstants(commands, set.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(first), &first);
   vkCmdDispatch(commands, (size.width + 63) / 64, size.height, 1);
   gpu_submit(gpu, commands);
   vkDestroyPipeline(gpu->device, pipeline, NULL);
   set_finish(gpu, &set);
   vkDestroyImageView(gpu->device, view, NULL);
}

static VkImageViewCreateInfo
view_info(const struct picture *picture, VkFormat format, uint32_t level, uint32_t layer)
{
   return (VkImageViewCreateInfo){
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = picture->image,
      .viewType = VK_IMAGE_VIEW_TYPE_2D,
      .format = format,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, layer, 1},
   };
}

/* ---- VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT ---- */

/* Each level and layer is written as texels of the size of a block. */
static bool
check_blocks(struct gpu *gpu, VkFormat blocks, VkFormat texels, uint32_t words)
{
   VkImageCreateInfo info = picture_info(blocks, 76, 52);
   info.mipLevels = 4;
   info.arrayLayers = 2;
   info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
   info.flags = VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT | VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT |
                VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
   if (!picture_supported(gpu, &info))
      return false;
   struct picture picture;
   struct buffer result;
   picture_init(gpu, &picture, &info, VK_IMAGE_ASPECT_COLOR_BIT);
   buffer_init(gpu, &result, 1 << 16, 0);
   for (uint32_t level = 0; level < info.mipLevels; level++) {
      const VkExtent3D size = picture_level(&picture, level), count = {(size.width + 3) / 4, (size.height + 3) / 4, 1};
      for (uint32_t layer = 0; layer < info.arrayLayers; layer++) {
         const VkImageViewCreateInfo view = view_info(&picture, texels, level, layer);
         number_words(gpu, &view, count, 1000000 * layer + 10000 * level);
      }
   }
   for (uint32_t level = 0; level < info.mipLevels; level++) {
      const VkExtent3D size = picture_level(&picture, level);
      const uint32_t per_layer = (size.width + 3) / 4 * ((size.height + 3) / 4);
      picture_download(gpu, &picture, VK_IMAGE_ASPECT_COLOR_BIT, level, size, &result, 0);
      for (uint32_t i = 0; i < per_layer * info.arrayLayers * words; i++) {
         const uint32_t texel = i / words % per_layer, layer = i / words / per_layer;
         CHECK_EQUAL(((const uint32_t *)result.map)[i], 1000000 * layer + 10000 * level + 4 * texel + i % words);
      }
   }
   picture_finish(gpu, &picture);
   buffer_finish(gpu, &result);
   return true;
}

static bool
blocks(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   /* On lavapipe imageSize() of such a view is that of the image. */
   bool any = false;
   if (gpu.is_virtual) {
      any |= check_blocks(&gpu, VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_FORMAT_R32G32_UINT, 2);
      any |= check_blocks(&gpu, VK_FORMAT_BC3_UNORM_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 4);
      any |= check_blocks(&gpu, VK_FORMAT_BC7_UNORM_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 4);
   }
   gpu_close(&gpu);
   return any;
}

/* ---- VK_EXT_image_2d_view_of_3d ---- */

enum { WIDTH = 29, HEIGHT = 17, DEPTH = 9 };

static void
check_slices(struct gpu *gpu, const struct picture *picture)
{
   struct buffer result;
   buffer_init(gpu, &result, WIDTH * HEIGHT * DEPTH * 4, 0);
   for (uint32_t level = 0; level < picture->info.mipLevels; level++) {
      const VkExtent3D size = picture_level(picture, level);
      picture_download(gpu, picture, VK_IMAGE_ASPECT_COLOR_BIT, level, size, &result, 0);
      for (uint32_t i = 0; i < size.width * size.height * size.depth; i++) {
         const uint32_t texel = i % (size.width * size.height), slice = i / (size.width * size.height);
         CHECK_EQUAL(((const uint32_t *)result.map)[i], 1000000 * slice + 10000 * level + 4 * texel);
      }
   }
   buffer_finish(gpu, &result);
}

static bool
slices(void)
{
   VkPhysicalDeviceImage2DViewOf3DFeaturesEXT features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT};
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME, &features))
      return false;
   VkImageCreateInfo info = picture_info(VK_FORMAT_R32_UINT, WIDTH, HEIGHT);
   info.imageType = VK_IMAGE_TYPE_3D;
   info.extent.depth = DEPTH;
   info.mipLevels = 3;
   info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
   info.flags = VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
   struct picture picture;
   picture_init(&gpu, &picture, &info, VK_IMAGE_ASPECT_COLOR_BIT);
   for (uint32_t level = 0; level < info.mipLevels; level++) {
      const VkExtent3D size = picture_level(&picture, level);
      for (uint32_t slice = 0; slice < size.depth; slice++) {
         const VkImageViewCreateInfo view = view_info(&picture, info.format, level, slice);
         number_words(&gpu, &view, size, 1000000 * slice + 10000 * level);
      }
   }
   check_slices(&gpu, &picture);
   picture_finish(&gpu, &picture);
   gpu_close(&gpu);
   return true;
}

/* ---- VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT ---- */

/* Slices 2 to 4 are what a rendering clears. */
static void
clear_slices(struct gpu *gpu, const struct picture *picture)
{
   VkImageViewCreateInfo info = view_info(picture, picture->info.format, 0, 2);
   info.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
   info.subresourceRange.layerCount = 3;
   VkImageView view;
   CALL(vkCreateImageView(gpu->device, &info, NULL, &view));
   const VkRenderingAttachmentInfo attachment = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = view,
      .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      .clearValue.color.uint32 = {77},
   };
   const VkRenderingInfo rendering = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
      .renderArea = {{0, 0}, {WIDTH, HEIGHT}},
      .layerCount = 3,
      .colorAttachmentCount = 1,
      .pColorAttachments = &attachment,
   };
   const VkClearAttachment value = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, .clearValue.color.uint32 = {88}};
   const VkClearRect rect = {{{4, 3}, {5, 6}}, 1, 2};
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdBeginRendering(commands, &rendering);
   vkCmdClearAttachments(commands, 1, &value, 1, &rect);
   vkCmdEndRendering(commands);
   gpu_submit(gpu, commands);
   vkDestroyImageView(gpu->device, view, NULL);
}

static bool
rendered_slices(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   if (gpu.family != gpu.general) { /* others do not render */
      gpu_close(&gpu);
      return false;
   }
   VkImageCreateInfo info = picture_info(VK_FORMAT_R32_UINT, WIDTH, HEIGHT);
   info.imageType = VK_IMAGE_TYPE_3D;
   info.extent.depth = DEPTH;
   info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
   info.flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
   struct picture picture;
   struct buffer texels;
   picture_init(&gpu, &picture, &info, VK_IMAGE_ASPECT_COLOR_BIT);
   buffer_init(&gpu, &texels, WIDTH * HEIGHT * DEPTH * 4, 0);
   buffer_number(&texels, 1);
   picture_upload(&gpu, &picture, VK_IMAGE_ASPECT_COLOR_BIT, 0, info.extent, &texels, 0);
   clear_slices(&gpu, &picture);
   picture_download(&gpu, &picture, VK_IMAGE_ASPECT_COLOR_BIT, 0, info.extent, &texels, 0);
   for (uint32_t i = 0; i < WIDTH * HEIGHT * DEPTH; i++) {
      const uint32_t x = i % WIDTH, y = i / WIDTH % HEIGHT, z = i / WIDTH / HEIGHT;
      const bool cleared = z >= 2 && z < 5, within = z >= 3 && z < 5 && x >= 4 && x < 9 && y >= 3 && y < 9;
      CHECK_EQUAL(((const uint32_t *)texels.map)[i], within ? 88 : cleared ? 77 : i);
   }
   buffer_finish(&gpu, &texels);
   picture_finish(&gpu, &picture);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "blocks as texels", .run = blocks},
   {.name = "slices as images", .run = slices},
   {.name = "slices as attachments", .run = rendered_slices},
   {.name = NULL},
};
