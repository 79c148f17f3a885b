/* SPDX-License-Identifier: MIT */
/* Copies of multisampled images: every sample, a part of a layer, between what a clear has left. */
#include <string.h>

#include "picture.h"
#include "set.h"
#include "test.h"

static const VkDescriptorType storage_image = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;

static void
run_samples(struct gpu *gpu, const struct set *set, VkPipeline pipeline, const struct picture *picture,
            const struct buffer *samples, bool write)
{
   const VkImageViewCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = picture->image,
      .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
      .format = picture->info.format,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, picture->info.arrayLayers},
   };
   const struct {
      uint64_t samples;
      uint32_t write;
   } push = {samples->address, write};
   VkImageView view;
   CALL(vkCreateImageView(gpu->device, &info, NULL, &view));
   set_write_image(gpu, set, 0, storage_image, view, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL);
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, set->layout, 0, 1, &set->set, 0, NULL);
   vkCmdPushConstants(commands, set->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
   vkCmdDispatch(commands, (picture->info.extent.width + 7) / 8, (picture->info.extent.height + 7) / 8,
                 picture->info.arrayLayers);
   gpu_submit(gpu, commands);
   vkDestroyImageView(gpu->device, view, NULL);
}

/* From the first image's last layer to the second one's first, of which the copy leaves a border. */
enum { FROM_X = 5, FROM_Y = 2, TO_X = 3, TO_Y = 7, COPY_WIDTH = 14, COPY_HEIGHT = 11, LAYERS = 2 };

static const uint32_t cleared[4] = {9, 8, 7, 6};

static void
copy_samples(struct gpu *gpu, const struct picture *from, const struct picture *to)
{
   const VkImageCopy region = {
      .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, LAYERS - 1, 1},
      .srcOffset = {FROM_X, FROM_Y, 0},
      .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
      .dstOffset = {TO_X, TO_Y, 0},
      .extent = {COPY_WIDTH, COPY_HEIGHT, 1},
   };
   const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, LAYERS};
   VkClearColorValue color;
   memcpy(color.uint32, cleared, sizeof(cleared));
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdClearColorImage(commands, to->image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &all);
   gpu_barrier(commands);
   vkCmdCopyImage(commands, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
   gpu_submit(gpu, commands);
}

static void
check_samples(const VkImageCreateInfo *info, uint32_t components, const struct buffer *samples)
{
   const uint32_t(*value)[4] = samples->map;
   const uint32_t width = info->extent.width, height = info->extent.height, count = info->samples;
   for (uint32_t i = 0; i < width * height * LAYERS * count; i++) {
      const uint32_t s = i % count, x = i / count % width, y = i / count / width % height,
                     layer = i / count / width / height;
      const bool copied =
         layer == 0 && x - TO_X < COPY_WIDTH && y - TO_Y < COPY_HEIGHT; /* unsigned: not before it either */
      const uint32_t from_y = y - TO_Y + FROM_Y, from_x = x - TO_X + FROM_X;
      const uint32_t number = (((LAYERS - 1) * height + from_y) * width + from_x) * count + s;
      for (uint32_t c = 0; c < components; c++)
         CHECK_EQUAL(value[i][c], copied ? (number * 7 + 1 + c) % 251 : cleared[c]);
   }
}

static bool
copy_multisampled(struct gpu *gpu, VkFormat format, uint32_t components, VkSampleCountFlagBits count)
{
   VkImageCreateInfo info = picture_info(format, 27, 19);
   info.samples = count;
   info.arrayLayers = LAYERS;
   info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
   if (!picture_supported(gpu, &info))
      return false;
   struct set set;
   struct picture from, to;
   struct buffer samples;
   set_init(gpu, &set, 1, &storage_image);
   const VkPipeline pipeline = gpu_create_pipeline(gpu, set.layout, "samples.comp", 0);
   picture_init(gpu, &from, &info, VK_IMAGE_ASPECT_COLOR_BIT);
   picture_init(gpu, &to, &info, VK_IMAGE_ASPECT_COLOR_BIT);
   buffer_init(gpu, &samples, (VkDeviceSize)info.extent.width * info.extent.height * LAYERS * count * 16, 0);
   run_samples(gpu, &set, pipeline, &from, &samples, true);
   copy_samples(gpu, &from, &to);
   run_samples(gpu, &set, pipeline, &to, &samples, false);
   check_samples(&info, components, &samples);
   buffer_finish(gpu, &samples);
   picture_finish(gpu, &from);
   picture_finish(gpu, &to);
   vkDestroyPipeline(gpu->device, pipeline, NULL);
   set_finish(gpu, &set);
   return true;
}

static bool
samples(void)
{
   static const struct {
      VkFormat format;
      uint32_t components;
   } formats[] = {{VK_FORMAT_R8_UINT, 1},
                  {VK_FORMAT_R8G8B8A8_UINT, 4},
                  {VK_FORMAT_R16G16_UINT, 2},
                  {VK_FORMAT_R32G32B32A32_UINT, 4}};
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   bool any = false;
   for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
      for (uint32_t count = 2; count <= 8; count *= 2)
         any |= copy_multisampled(&gpu, formats[i].format, formats[i].components, (VkSampleCountFlagBits)count);
   gpu_close(&gpu);
   return any;
}

const struct test tests[] = {
   {.name = "samples", .run = samples},
   {.name = NULL},
};
