/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <string.h>

#define MAX_LEVELS 12

const char *const operation_names[] = {"LOAD", "STORE", "FETCH"};
static const char *const number_prefixes[] = {"", "i", "u"};

static struct {
   const struct side *side;
   char name[64];
   VkPipeline pipeline;
} made[256];

static VkPipeline
pipeline_of(struct side *side, unsigned layout, enum operation operation, const char *shape, enum numbers numbers)
{
   char name[64];
   snprintf(name, sizeof name, "%s-%s-%svec4", operation_names[operation], shape, number_prefixes[numbers]);
   unsigned i = 0;
   for (; made[i].side; i++) {
      if (made[i].side == side && !strcmp(made[i].name, name))
         return made[i].pipeline;
   }
   made[i].side = side;
   memcpy(made[i].name, name, sizeof name);
   return made[i].pipeline = gpu_create_pipeline(&side->gpu, side->sets[layout].layout, name, 0);
}

void
destroy_pipelines(struct side *side)
{
   for (unsigned i = 0; made[i].side; i++) {
      if (made[i].side == side)
         vkDestroyPipeline(side->gpu.device, made[i].pipeline, NULL);
   }
}

static uint32_t
minified(uint32_t size, uint32_t level)
{
   return size >> level ? size >> level : 1;
}

struct extent
level_extent(const struct shape *shape, uint32_t level)
{
   return (struct extent){minified(shape->width, level), minified(shape->height, level), minified(shape->depth, level)};
}

static uint32_t
shape_levels(const struct shape *shape)
{
   uint32_t levels = 1;
   while (shape->levels && (shape->width >> levels || shape->height >> levels || shape->depth >> levels))
      levels++;
   return levels;
}

size_t
level_bytes(const struct format *format, const struct shape *shape, uint32_t level)
{
   struct extent e = level_extent(shape, level);
   return (size_t)((e.width + format->width - 1) / format->width) * ((e.height + format->height - 1) / format->height) *
          e.depth * shape->layers * format->bytes;
}

static void
dispatch(struct side *side, unsigned layout, VkPipeline pipeline, struct extent size, uint32_t level, uint32_t first,
         uint32_t samples)
{
   struct gpu *gpu = &side->gpu;
   const uint32_t parameters[] = {size.width, size.height, size.depth, level, first, samples};
   vkCmdBindPipeline(gpu->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdBindDescriptorSets(gpu->commands, VK_PIPELINE_BIND_POINT_COMPUTE, side->sets[layout].layout, 0, 1,
                           &side->sets[layout].set, 0, NULL);
   vkCmdPushConstants(gpu->commands, side->sets[layout].layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof parameters,
                      parameters);
   vkCmdDispatch(gpu->commands, (size.width + 7) / 8, (size.height + 7) / 8, size.depth);
}

static VkImageUsageFlags
usage_of(enum operation operation, const struct shape *shape)
{
   VkImageUsageFlags usage = operation == FETCH ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_STORAGE_BIT;
   if (shape->samples > 1)
      return usage | VK_IMAGE_USAGE_STORAGE_BIT;
   return usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
}

VkImageCreateInfo
image_info(const struct format *format, const struct shape *shape, VkImageTiling tiling, enum operation operation)
{
   return (VkImageCreateInfo){
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .flags = shape->view == VK_IMAGE_VIEW_TYPE_CUBE ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
      .imageType = shape->type,
      .format = format->format,
      .extent = {shape->width, shape->height, shape->depth},
      .mipLevels = tiling == VK_IMAGE_TILING_LINEAR ? 1 : shape_levels(shape),
      .arrayLayers = shape->layers,
      .samples = (VkSampleCountFlagBits)shape->samples,
      .tiling = tiling,
      .usage = usage_of(operation, shape),
   };
}

bool
supports(struct gpu *gpu, const struct format *format, const VkImageCreateInfo *info, enum operation operation)
{
   VkFormatProperties properties;
   vkGetPhysicalDeviceFormatProperties(gpu->physical_device, format->format, &properties);
   VkFormatFeatureFlags features =
      info->tiling == VK_IMAGE_TILING_LINEAR ? properties.linearTilingFeatures : properties.optimalTilingFeatures;
   VkFormatFeatureFlags wanted =
      operation == FETCH ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT : VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
   VkImageFormatProperties limits;
   return (features & wanted) == wanted &&
          vkGetPhysicalDeviceImageFormatProperties(gpu->physical_device, format->format, info->imageType, info->tiling,
                                                   info->usage, info->flags, &limits) == VK_SUCCESS &&
          info->extent.width <= limits.maxExtent.width && info->extent.height <= limits.maxExtent.height &&
          info->extent.depth <= limits.maxExtent.depth && info->mipLevels <= limits.maxMipLevels &&
          info->arrayLayers <= limits.maxArrayLayers && (info->samples & limits.sampleCounts);
}

static VkImageView
create_view(struct gpu *gpu, VkImage image, const struct format *format, const struct shape *shape, uint32_t first,
            uint32_t count)
{
   const VkImageViewCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image,
      .viewType = shape->view,
      .format = format->format,
      .subresourceRange = {format->aspect, first, count, 0, shape->layers},
   };
   VkImageView view;
   CALL(vkCreateImageView(gpu->device, &info, NULL, &view));
   return view;
}

static void
copy_levels(struct side *side, VkImage image, const struct format *format, const struct shape *shape, uint32_t levels,
            bool to_image)
{
   struct gpu *gpu = &side->gpu;
   VkBufferImageCopy regions[MAX_LEVELS];
   VkDeviceSize offset = 0;
   for (uint32_t l = 0; l < levels; l++) {
      struct extent e = level_extent(shape, l);
      regions[l] = (VkBufferImageCopy){
         .bufferOffset = offset,
         .imageSubresource = {format->aspect, l, 0, shape->layers},
         .imageExtent = {e.width, e.height, e.depth},
      };
      offset += (level_bytes(format, shape, l) + 47) / 48 * 48; /* a multiple of every texel's size */
   }
   if (to_image)
      vkCmdCopyBufferToImage(gpu->commands, side->data.buffer, image, VK_IMAGE_LAYOUT_GENERAL, levels, regions);
   else
      vkCmdCopyImageToBuffer(gpu->commands, image, VK_IMAGE_LAYOUT_GENERAL, side->data.buffer, levels, regions);
}

/* A shader over all levels, one view each (storage) or one view of them all (sampled). */
static void
run_levels(struct side *side, VkImage image, const struct format *format, const struct shape *shape, uint32_t levels,
           enum operation operation)
{
   struct gpu *gpu = &side->gpu;
   unsigned layout = operation == FETCH ? SAMPLED_IMAGE : STORAGE_IMAGE;
   VkPipeline pipeline = pipeline_of(side, layout, operation, shape->name, format->numbers);
   uint32_t first = 0;
   for (uint32_t l = 0; l < levels; l++) {
      struct extent e = level_extent(shape, l);
      if (shape->layers > 1 || shape->type == VK_IMAGE_TYPE_1D)
         e.depth = shape->layers;
      VkImageView view = operation == FETCH ? create_view(gpu, image, format, shape, 0, levels)
                                            : create_view(gpu, image, format, shape, l, 1);
      set_write_image(gpu, &side->sets[layout], 1, side_types[layout], view, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL);
      gpu_begin(gpu);
      dispatch(side, layout, pipeline, e, l, first, shape->samples);
      gpu_submit(gpu, gpu->commands);
      vkDestroyImageView(gpu->device, view, NULL);
      first += e.width * e.height * e.depth * shape->samples;
   }
}

void
run_image(struct side *side, const struct format *format, const struct shape *shape, const VkImageCreateInfo *info,
          enum operation operation)
{
   struct gpu *gpu = &side->gpu;
   VkImage image;
   CALL(vkCreateImage(gpu->device, info, NULL, &image));
   const VkDeviceMemory memory = gpu_allocate_image(gpu, image);

   gpu_begin(gpu);
   gpu_transition(gpu->commands, image, format->aspect, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
   if (shape->samples == 1 && operation != STORE)
      copy_levels(side, image, format, shape, info->mipLevels, true);
   gpu_submit(gpu, gpu->commands);
   if (shape->samples > 1) /* no copies of these: what was stored is read again */
      run_levels(side, image, format, shape, 1, STORE);
   run_levels(side, image, format, shape, info->mipLevels, operation);
   if (shape->samples == 1 && operation == STORE) {
      gpu_begin(gpu);
      copy_levels(side, image, format, shape, info->mipLevels, false);
      gpu_submit(gpu, gpu->commands);
   }
   vkDestroyImage(gpu->device, image, NULL);
   vkFreeMemory(gpu->device, memory, NULL);
}

void
run_buffer(struct side *side, const struct format *format, enum operation operation)
{
   struct gpu *gpu = &side->gpu;
   const VkBufferViewCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
      .buffer = side->data.buffer,
      .format = format->format,
      .range = BUFFER_TEXELS * format->bytes,
   };
   VkBufferView view;
   CALL(vkCreateBufferView(gpu->device, &info, NULL, &view));
   unsigned layout = operation == FETCH ? SAMPLED_BUFFER : STORAGE_BUFFER;
   set_write_texels(gpu, &side->sets[layout], 1, side_types[layout], view);
   gpu_begin(gpu);
   dispatch(side, layout, pipeline_of(side, layout, operation, "Buffer", format->numbers),
            (struct extent){BUFFER_TEXELS, 1, 1}, 0, 0, 1);
   gpu_submit(gpu, gpu->commands);
   vkDestroyBufferView(gpu->device, view, NULL);
}
