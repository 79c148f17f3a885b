/* SPDX-License-Identifier: MIT */
/*
 * A dispatch with one resource of each kind. Each byte of an image has a value that says where it is, see fill(), which
 * the test computes again; the image of floats also has one that is not a number, and some beyond 0 and 1. With
 * another -n than 64 a stop callback reads them, too.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "hdb/hdb.h"
#include "pictures.comp.h"

enum { N = 64, BINDINGS = 9, IMAGES = 6, SPECIALIZATION = 3 };

struct picture {
   const char *name;
   VkFormat format;
   VkImageType type;
   VkImageViewType view_type;
   uint32_t width, height, depth, layers, levels, bytes;

   VkImage image;
   VkDeviceMemory memory;
   VkImageView view;
   VkDeviceSize offset; /* in the staging buffer */
};

static struct picture pictures[IMAGES] = {
   {"albedo", VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 100, 60, 1, 1, 1, .bytes = 4},
   {"layers", VK_FORMAT_R8G8B8A8_SRGB, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 64, 32, 1, 3, 4, .bytes = 4},
   {"counts", VK_FORMAT_R16_UINT, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 40, 24, 1, 1, 1, .bytes = 2},
   {"volume", VK_FORMAT_R32_SFLOAT, VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, 20, 12, 8, 1, 1, .bytes = 4},
   {"pair 0", VK_FORMAT_B8G8R8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 33, 17, 1, 1, 1, .bytes = 4},
   {"pair 1", VK_FORMAT_R8G8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 200, 130, 1, 1, 1, .bytes = 2},
};

static uint32_t
at_level(uint32_t size, uint32_t level)
{
   return size >> level ? size >> level : 1;
}

/* Byte `i` of texel (x, y) in slice z of a layer's level. */
static uint8_t
byte_at(uint32_t level, uint32_t layer, uint32_t x, uint32_t y, uint32_t z, uint32_t i)
{
   return (uint8_t)(x * 3 + y * 5 + z * 17 + layer * 50 + level * 90 + i * 64);
}

static float
float_at(uint32_t x, uint32_t y, uint32_t z)
{
   return x == 1 && y == 2 && z == 3 ? NAN : ((float)x + (float)y) / 16 - (float)z / 8;
}

static VkDeviceSize
fill(const struct picture *picture, uint8_t *data)
{
   const uint8_t *start = data;
   for (uint32_t level = 0; level < picture->levels; level++) {
      uint32_t width = at_level(picture->width, level), height = at_level(picture->height, level);
      for (uint32_t layer = 0; layer < picture->layers; layer++) {
         for (uint32_t texel = 0; texel < width * height * picture->depth; texel++) {
            uint32_t x = texel % width, y = texel / width % height, z = texel / width / height;
            float value = float_at(x, y, z);
            for (uint32_t i = 0; i < picture->bytes; i++)
               data[i] = byte_at(level, layer, x, y, z, i);
            if (picture->format == VK_FORMAT_R32_SFLOAT)
               memcpy(data, &value, sizeof(value));
            else if (picture->format == VK_FORMAT_R16_UINT)
               data[1] = x >= 30; /* from there on beyond 255 */
            data += picture->bytes;
         }
      }
   }
   return (VkDeviceSize)(data - start);
}

/* ---- images ---- */

static void
create_picture(const struct sample *sample, struct picture *picture)
{
   VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .imageType = picture->type,
      .format = picture->format,
      .extent = {picture->width, picture->height, picture->depth},
      .mipLevels = picture->levels,
      .arrayLayers = picture->layers,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .tiling = VK_IMAGE_TILING_OPTIMAL,
      .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
   };
   if (picture->format != VK_FORMAT_R8G8B8A8_SRGB && picture->format != VK_FORMAT_B8G8R8A8_UNORM)
      info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
   SAMPLE_CALL(sample, vkCreateImage, sample->device, &info, NULL, &picture->image);
   VkMemoryRequirements requirements;
   vkGetImageMemoryRequirements(sample->device, picture->image, &requirements);
   VkMemoryAllocateInfo memory_info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .allocationSize = requirements.size,
      .memoryTypeIndex = sample_memory_type(sample, requirements.memoryTypeBits, 0),
   };
   SAMPLE_CALL(sample, vkAllocateMemory, sample->device, &memory_info, NULL, &picture->memory);
   SAMPLE_CALL(sample, vkBindImageMemory, sample->device, picture->image, picture->memory, 0);
   VkImageViewCreateInfo view_info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = picture->image,
      .viewType = picture->view_type,
      .format = picture->format,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, picture->levels, 0, picture->layers},
   };
   SAMPLE_CALL(sample, vkCreateImageView, sample->device, &view_info, NULL, &picture->view);
   sample_set_name(sample, VK_OBJECT_TYPE_IMAGE, (uint64_t)picture->image, picture->name);
}

static void
turn(const struct picture *picture, VkCommandBuffer commands, VkImageLayout before)
{
   VkImageMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
      .oldLayout = before,
      .newLayout = VK_IMAGE_LAYOUT_GENERAL,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .image = picture->image,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, picture->levels, 0, picture->layers},
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1,
                        &barrier);
}

static void
upload(const struct picture *picture, VkCommandBuffer commands, const struct sample_buffer *staging)
{
   VkDeviceSize offset = picture->offset;
   turn(picture, commands, VK_IMAGE_LAYOUT_UNDEFINED);
   for (uint32_t level = 0; level < picture->levels; level++) {
      uint32_t width = at_level(picture->width, level), height = at_level(picture->height, level);
      VkBufferImageCopy copy = {
         .bufferOffset = offset,
         .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, picture->layers},
         .imageExtent = {width, height, picture->depth},
      };
      vkCmdCopyBufferToImage(commands, staging->buffer, picture->image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
      offset += (VkDeviceSize)width * height * picture->depth * picture->layers * picture->bytes;
   }
   turn(picture, commands, VK_IMAGE_LAYOUT_GENERAL);
}

/* ---- by callback ---- */

static uint32_t wrong, read; /* texels */

static enum hdb_dispatch_answer
attach(const struct hdb_dispatch_info *dispatch, void *user)
{
   return dispatch->attachable ? HDB_DISPATCH_ATTACH : HDB_DISPATCH_PASS;
}

static float
expected(const struct picture *picture, uint32_t layer, uint32_t x, uint32_t y, uint32_t i)
{
   uint32_t z = picture->depth > 1 ? layer : 0;
   if (picture->format == VK_FORMAT_R32_SFLOAT)
      return i ? (float)(i == 3) : float_at(x, y, z);
   if (picture->format == VK_FORMAT_R16_UINT)
      return i ? (float)(i == 3) : (float)(byte_at(0, 0, x, y, 0, 0) + (x >= 30 ? 256 : 0));
   return (float)byte_at(0, layer, x, y, 0, i) / 255;
}

static void
check_image(const struct hdb_stop *stop, const struct picture *picture, const struct hdb_resource *resource)
{
   static float rgba[100 * 60 * 4];
   uint32_t layers = picture->depth > 1 ? picture->depth : picture->layers;
   const size_t size = (size_t)picture->width * picture->height * 16;
   for (uint32_t layer = 0; layer < layers; layer++) {
      wrong += stop->functions->read_image(stop, resource, 0, layer, rgba, size) != 0;
      for (uint32_t texel = 0; texel < picture->width * picture->height; texel++, read++) {
         uint32_t x = texel % picture->width, y = texel / picture->width;
         for (uint32_t i = 0; i < 4; i++) {
            float is = rgba[4 * texel + i], should = expected(picture, layer, x, y, i);
            wrong += isnan(should) ? !isnan(is) : fabsf(is - should) > 1e-6f;
         }
      }
   }
   wrong += stop->functions->read_image(stop, resource, 0, 0, rgba, size - 1) >= 0 || !strstr(stop->error, "16 bytes");
   wrong += stop->functions->read_image(stop, resource, picture->levels, 0, rgba, size) >= 0;
   wrong += stop->functions->read_image(stop, resource, 0, layers, rgba, size) >= 0;
}

static enum hdb_stop_answer
look(const struct hdb_stop *stop, void *user)
{
   const struct hdb_resource *resources;
   uint32_t count = 0;
   wrong += stop->functions->list_resources(stop, &resources, &count) != 0;
   for (uint32_t i = 0; i < count; i++) {
      bool plain = resources[i].binding == 0 || resources[i].binding == 2 || resources[i].binding == 3;
      if (plain && resources[i].kind == HDB_RESOURCE_IMAGE)
         check_image(stop, &pictures[resources[i].binding], &resources[i]);
   }
   return HDB_STOP_PASS;
}

static void
create_messenger(const struct sample *sample)
{
   PFN_hdb_messenger_create create =
      (PFN_hdb_messenger_create)(void *)vkGetInstanceProcAddr(sample->instance, "hdb_messenger_create");
   struct hdb_messenger *messenger;
   const struct hdb_messenger_create_info info = {
      .sType = HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO,
      .version = HDB_CALLBACKS_VERSION,
      .severities = HDB_SEVERITY_ALL,
      .reports = HDB_REPORT_ALL,
      .dispatch = attach,
      .stop = look,
   };
   if (create && create(sample->device, &info, &messenger))
      sample_fail(sample, "%s failed", "hdb_messenger_create");
}

/* ---- the rest ---- */

static const VkDescriptorType types[BINDINGS] = {
   VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
   VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
   VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
   VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
   VK_DESCRIPTOR_TYPE_SAMPLER,
   VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
   VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
   VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
   VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
};

struct objects {
   VkDescriptorSetLayout set_layout;
   VkPipelineLayout layout;
   VkPipeline pipeline;
   VkDescriptorPool pool;
   VkDescriptorSet set;
   VkSampler sampler;
   VkBuffer typed; /* of texels, and the uniform block */
   VkDeviceMemory typed_memory;
   VkBufferView texels;
};

static void
create_pipeline(const struct sample *sample, struct objects *objects)
{
   VkDescriptorSetLayoutBinding bindings[BINDINGS];
   for (uint32_t i = 0; i < BINDINGS; i++)
      bindings[i] = (VkDescriptorSetLayoutBinding){i, types[i], i == 5 ? 2 : 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
   VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = BINDINGS,
      .pBindings = bindings,
   };
   SAMPLE_CALL(sample, vkCreateDescriptorSetLayout, sample->device, &set_info, NULL, &objects->set_layout);
   VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = 1,
      .pSetLayouts = &objects->set_layout,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &(VkPushConstantRange){VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)},
   };
   SAMPLE_CALL(sample, vkCreatePipelineLayout, sample->device, &layout_info, NULL, &objects->layout);
   VkShaderModule module;
   VkShaderModuleCreateInfo module_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = sizeof(pictures_spirv),
      .pCode = pictures_spirv,
   };
   SAMPLE_CALL(sample, vkCreateShaderModule, sample->device, &module_info, NULL, &module);
   static const uint32_t scale = 1000;
   VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
            .pSpecializationInfo =
               &(VkSpecializationInfo){
                  .mapEntryCount = 1,
                  .pMapEntries = &(VkSpecializationMapEntry){SPECIALIZATION, 0, sizeof(scale)},
                  .dataSize = sizeof(scale),
                  .pData = &scale,
               },
         },
      .layout = objects->layout,
   };
   SAMPLE_CALL(sample, vkCreateComputePipelines, sample->device, VK_NULL_HANDLE, 1, &info, NULL, &objects->pipeline);
   vkDestroyShaderModule(sample->device, module, NULL);
   sample_set_name(sample, VK_OBJECT_TYPE_PIPELINE, (uint64_t)objects->pipeline, "pictures");
}

static void
create_others(const struct sample *sample, struct objects *objects)
{
   VkSamplerCreateInfo sampler_info = {
      .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
      .magFilter = VK_FILTER_LINEAR,
      .minFilter = VK_FILTER_LINEAR,
   };
   SAMPLE_CALL(sample, vkCreateSampler, sample->device, &sampler_info, NULL, &objects->sampler);
   VkBufferCreateInfo buffer_info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = 256,
      .usage = VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
   };
   SAMPLE_CALL(sample, vkCreateBuffer, sample->device, &buffer_info, NULL, &objects->typed);
   VkMemoryRequirements requirements;
   vkGetBufferMemoryRequirements(sample->device, objects->typed, &requirements);
   VkMemoryAllocateInfo memory_info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .allocationSize = requirements.size,
      .memoryTypeIndex = sample_memory_type(sample, requirements.memoryTypeBits,
                                            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
   };
   SAMPLE_CALL(sample, vkAllocateMemory, sample->device, &memory_info, NULL, &objects->typed_memory);
   SAMPLE_CALL(sample, vkBindBufferMemory, sample->device, objects->typed, objects->typed_memory, 0);
   void *map;
   SAMPLE_CALL(sample, vkMapMemory, sample->device, objects->typed_memory, 0, VK_WHOLE_SIZE, 0, &map);
   memset(map, 0, 256);
   sample_set_name(sample, VK_OBJECT_TYPE_BUFFER, (uint64_t)objects->typed, "typed\033[7m");
   VkBufferViewCreateInfo view_info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
      .buffer = objects->typed,
      .format = VK_FORMAT_R8G8B8A8_UNORM,
      .range = 64,
   };
   SAMPLE_CALL(sample, vkCreateBufferView, sample->device, &view_info, NULL, &objects->texels);
}

static void
create_set(const struct sample *sample, struct objects *objects, const struct sample_buffer *values)
{
   VkDescriptorPoolSize sizes[BINDINGS];
   for (uint32_t i = 0; i < BINDINGS; i++)
      sizes[i] = (VkDescriptorPoolSize){types[i], 2};
   VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = 1,
      .poolSizeCount = BINDINGS,
      .pPoolSizes = sizes,
   };
   SAMPLE_CALL(sample, vkCreateDescriptorPool, sample->device, &pool_info, NULL, &objects->pool);
   VkDescriptorSetAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = objects->pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &objects->set_layout,
   };
   SAMPLE_CALL(sample, vkAllocateDescriptorSets, sample->device, &info, &objects->set);
   VkDescriptorImageInfo images[IMAGES];
   for (uint32_t i = 0; i < IMAGES; i++)
      images[i] = (VkDescriptorImageInfo){objects->sampler, pictures[i].view, VK_IMAGE_LAYOUT_GENERAL};
   VkDescriptorBufferInfo uniform = {objects->typed, 0, 16}, storage = {values->buffer, 0, VK_WHOLE_SIZE};
   VkWriteDescriptorSet writes[BINDINGS];
   for (uint32_t i = 0; i < BINDINGS; i++)
      writes[i] = (VkWriteDescriptorSet){
         .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstSet = objects->set,
         .dstBinding = i,
         .descriptorCount = i == 5 ? 2 : 1,
         .descriptorType = types[i],
         .pImageInfo = &images[i < 4 ? i : 4], /* a sampler of its own is in any of them */
         .pTexelBufferView = &objects->texels,
         .pBufferInfo = i == 7 ? &uniform : &storage,
      };
   vkUpdateDescriptorSets(sample->device, BINDINGS, writes, 0, NULL);
}

int
main(int argc, char **argv)
{
   struct sample sample;
   struct sample_buffer staging, values;
   struct objects objects = {0};
   sample_init(&sample, "pictures", N, argc, argv);
   sample_buffer_init(&staging, &sample, 1 << 20);
   sample_buffer_init(&values, &sample, N * sizeof(uint32_t));
   sample_set_name(&sample, VK_OBJECT_TYPE_BUFFER, (uint64_t)values.buffer, "results");
   VkDeviceSize offset = 0;
   for (uint32_t i = 0; i < IMAGES; i++) {
      create_picture(&sample, &pictures[i]);
      pictures[i].offset = offset;
      offset += (fill(&pictures[i], (uint8_t *)staging.map + offset) + 15) / 16 * 16;
   }
   if (sample.n != N) /* -n: with callbacks */
      create_messenger(&sample);
   create_pipeline(&sample, &objects);
   create_others(&sample, &objects);
   create_set(&sample, &objects, &values);

   const uint32_t n = N;
   VkCommandBuffer commands = sample_begin(&sample);
   for (uint32_t i = 0; i < IMAGES; i++)
      upload(&pictures[i], commands, &staging);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, objects.pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, objects.layout, 0, 1, &objects.set, 0, NULL);
   vkCmdPushConstants(commands, objects.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(n), &n);
   vkCmdDispatch(commands, 1, 1, 1);
   sample_submit(&sample, commands);

   uint32_t right = 0;
   for (uint32_t i = 0; i < N; i++) /* all that is read is below 1 in sum, or 0 */
      right += ((uint32_t *)values.map)[i] >= 1000 && ((uint32_t *)values.map)[i] <= 1004;
   vkDestroyBufferView(sample.device, objects.texels, NULL);
   vkDestroyBuffer(sample.device, objects.typed, NULL);
   vkFreeMemory(sample.device, objects.typed_memory, NULL);
   vkDestroySampler(sample.device, objects.sampler, NULL);
   vkDestroyDescriptorPool(sample.device, objects.pool, NULL);
   vkDestroyPipeline(sample.device, objects.pipeline, NULL);
   vkDestroyPipelineLayout(sample.device, objects.layout, NULL);
   vkDestroyDescriptorSetLayout(sample.device, objects.set_layout, NULL);
   for (uint32_t i = 0; i < IMAGES; i++) {
      vkDestroyImageView(sample.device, pictures[i].view, NULL);
      vkDestroyImage(sample.device, pictures[i].image, NULL);
      vkFreeMemory(sample.device, pictures[i].memory, NULL);
   }
   sample_buffer_finish(&values, &sample);
   sample_buffer_finish(&staging, &sample);
   sample_finish(&sample);
   if (sample.n != N)
      printf("pictures: %u texels read, %u wrong\n", read, wrong);
   return wrong ? 1 : sample_report(&sample, right, N);
}
