/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <string.h>

#define MAX_LEVELS 12

const char *const operation_names[] = {"LOAD", "STORE", "FETCH"};
static const char *const number_prefixes[] = {"", "i", "u"};
const char *shader_directory;

static struct {
   const struct side *side;
   char path[256];
   VkPipeline pipeline;
} made[256];

static VkPipeline
pipeline_of(struct side *side, unsigned layout, enum operation operation, const char *shape, enum numbers numbers)
{
   char path[256];
   snprintf(path, sizeof path, "%s/%s-%s-%svec4.spv", shader_directory, operation_names[operation], shape,
            number_prefixes[numbers]);
   unsigned i = 0;
   for (; made[i].side; i++) {
      if (made[i].side == side && !strcmp(made[i].path, path))
         return made[i].pipeline;
   }
   made[i].side = side;
   memcpy(made[i].path, path, sizeof path);
   return made[i].pipeline = device_create_pipeline(&side->device, side->layout[layout], path, 0);
}

void
destroy_pipelines(struct side *side)
{
   for (unsigned i = 0; made[i].side; i++) {
      if (made[i].side == side)
         side->device.DestroyPipeline(side->device.device, made[i].pipeline, NULL);
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
   struct device *device = &side->device;
   const uint32_t parameters[] = {size.width, size.height, size.depth, level, first, samples};
   device->CmdBindPipeline(device->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   device->CmdBindDescriptorSets(device->commands, VK_PIPELINE_BIND_POINT_COMPUTE, side->layout[layout], 0, 1,
                                 &side->set[layout], 0, NULL);
   device->CmdPushConstants(device->commands, side->layout[layout], VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof parameters,
                            parameters);
   device->CmdDispatch(device->commands, (size.width + 7) / 8, (size.height + 7) / 8, size.depth);
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
supports(struct device *device, const struct format *format, const VkImageCreateInfo *info, enum operation operation)
{
   VkFormatProperties properties;
   device->GetPhysicalDeviceFormatProperties(device->physical_device, format->format, &properties);
   VkFormatFeatureFlags features =
      info->tiling == VK_IMAGE_TILING_LINEAR ? properties.linearTilingFeatures : properties.optimalTilingFeatures;
   VkFormatFeatureFlags wanted =
      operation == FETCH ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT : VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
   VkImageFormatProperties limits;
   return (features & wanted) == wanted &&
          device->GetPhysicalDeviceImageFormatProperties(device->physical_device, format->format, info->imageType,
                                                         info->tiling, info->usage, info->flags,
                                                         &limits) == VK_SUCCESS &&
          info->extent.width <= limits.maxExtent.width && info->extent.height <= limits.maxExtent.height &&
          info->extent.depth <= limits.maxExtent.depth && info->mipLevels <= limits.maxMipLevels &&
          info->arrayLayers <= limits.maxArrayLayers && (info->samples & limits.sampleCounts);
}

static void
to_general(struct device *device, VkImage image, const struct format *format)
{
   const VkImageMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
      .newLayout = VK_IMAGE_LAYOUT_GENERAL,
      .image = image,
      .subresourceRange = {format->aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS},
   };
   device->CmdPipelineBarrier(device->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                              0, 0, NULL, 0, NULL, 1, &barrier);
}

static VkImageView
create_view(struct device *device, VkImage image, const struct format *format, const struct shape *shape,
            uint32_t first, uint32_t count)
{
   const VkImageViewCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image,
      .viewType = shape->view,
      .format = format->format,
      .subresourceRange = {format->aspect, first, count, 0, shape->layers},
   };
   VkImageView view;
   CALL(device->CreateImageView(device->device, &info, NULL, &view));
   return view;
}

static void
bind_view(struct side *side, VkImageView view, unsigned layout)
{
   struct device *device = &side->device;
   const VkWriteDescriptorSet write = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = side->set[layout],
      .dstBinding = binding_of(layout),
      .descriptorCount = 1,
      .descriptorType = descriptor_type_of(layout),
      .pImageInfo = &(VkDescriptorImageInfo){.imageView = view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL},
   };
   device->UpdateDescriptorSets(device->device, 1, &write, 0, NULL);
}

static void
copy_levels(struct side *side, VkImage image, const struct format *format, const struct shape *shape, uint32_t levels,
            bool to_image)
{
   struct device *device = &side->device;
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
      device->CmdCopyBufferToImage(device->commands, side->data.buffer, image, VK_IMAGE_LAYOUT_GENERAL, levels,
                                   regions);
   else
      device->CmdCopyImageToBuffer(device->commands, image, VK_IMAGE_LAYOUT_GENERAL, side->data.buffer, levels,
                                   regions);
}

/* A shader over all levels, one view each (storage) or one view of them all (sampled). */
static void
run_levels(struct side *side, VkImage image, const struct format *format, const struct shape *shape, uint32_t levels,
           enum operation operation)
{
   struct device *device = &side->device;
   unsigned layout = operation == FETCH ? SAMPLED_IMAGE : STORAGE_IMAGE;
   VkPipeline pipeline = pipeline_of(side, layout, operation, shape->name, format->numbers);
   uint32_t first = 0;
   for (uint32_t l = 0; l < levels; l++) {
      struct extent e = level_extent(shape, l);
      if (shape->layers > 1 || shape->type == VK_IMAGE_TYPE_1D)
         e.depth = shape->layers;
      VkImageView view = operation == FETCH ? create_view(device, image, format, shape, 0, levels)
                                            : create_view(device, image, format, shape, l, 1);
      bind_view(side, view, layout);
      device_begin(device);
      dispatch(side, layout, pipeline, e, l, first, shape->samples);
      device_barrier(device);
      device_submit(device);
      device->DestroyImageView(device->device, view, NULL);
      first += e.width * e.height * e.depth * shape->samples;
   }
}

void
run_image(struct side *side, const struct format *format, const struct shape *shape, const VkImageCreateInfo *info,
          enum operation operation)
{
   struct device *device = &side->device;
   VkImage image;
   CALL(device->CreateImage(device->device, info, NULL, &image));
   VkMemoryRequirements requirements;
   device->GetImageMemoryRequirements(device->device, image, &requirements);
   VkDeviceMemory memory = device_allocate(device, &requirements, 0);
   CALL(device->BindImageMemory(device->device, image, memory, 0));

   device_begin(device);
   to_general(device, image, format);
   if (shape->samples == 1 && operation != STORE)
      copy_levels(side, image, format, shape, info->mipLevels, true);
   device_barrier(device);
   device_submit(device);
   if (shape->samples > 1) /* no copies of these: what was stored is read again */
      run_levels(side, image, format, shape, 1, STORE);
   run_levels(side, image, format, shape, info->mipLevels, operation);
   if (shape->samples == 1 && operation == STORE) {
      device_begin(device);
      copy_levels(side, image, format, shape, info->mipLevels, false);
      device_barrier(device);
      device_submit(device);
   }
   device->DestroyImage(device->device, image, NULL);
   device->FreeMemory(device->device, memory, NULL);
}

void
run_buffer(struct side *side, const struct format *format, enum operation operation)
{
   struct device *device = &side->device;
   const VkBufferViewCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
      .buffer = side->data.buffer,
      .format = format->format,
      .range = BUFFER_TEXELS * format->bytes,
   };
   VkBufferView view;
   CALL(device->CreateBufferView(device->device, &info, NULL, &view));
   unsigned layout = operation == FETCH ? SAMPLED_BUFFER : STORAGE_BUFFER;
   const VkWriteDescriptorSet write = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = side->set[layout],
      .dstBinding = binding_of(layout),
      .descriptorCount = 1,
      .descriptorType = descriptor_type_of(layout),
      .pTexelBufferView = &view,
   };
   device->UpdateDescriptorSets(device->device, 1, &write, 0, NULL);
   device_begin(device);
   dispatch(side, layout, pipeline_of(side, layout, operation, "Buffer", format->numbers),
            (struct extent){BUFFER_TEXELS, 1, 1}, 0, 0, 1);
   device_barrier(device);
   device_submit(device);
   device->DestroyBufferView(device->device, view, NULL);
}
