/* SPDX-License-Identifier: MIT */
/* VK_EXT_descriptor_buffer: samplers beside images, and offsets. What is out of bounds in such buffers: bounds.c. */
#include "picture.h"
#include "set.h"
#include "test.h"

enum { TEXELS = 4, PLACES = 5 };

static const VkDescriptorType sampled_kinds[] = {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_SAMPLER,
                                                 VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};

/* A row of four texels, and a sampler. */
struct texture {
   struct picture picture;
   VkImageView view;
   VkSampler sampler;
};

static void
texture_init(struct gpu *gpu, struct texture *texture, uint32_t first, VkSamplerAddressMode mode)
{
   VkImageCreateInfo info = picture_info(VK_FORMAT_R32_SFLOAT, TEXELS, 1);
   info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
   picture_init(gpu, &texture->picture, &info, VK_IMAGE_ASPECT_COLOR_BIT);
   struct buffer texels;
   buffer_init(gpu, &texels, TEXELS * 4, 0);
   for (uint32_t i = 0; i < TEXELS; i++)
      ((float *)texels.map)[i] = (float)(first + i);
   picture_upload(gpu, &texture->picture, VK_IMAGE_ASPECT_COLOR_BIT, 0, info.extent, &texels, 0);
   buffer_finish(gpu, &texels);
   const VkImageViewCreateInfo view = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = texture->picture.image,
      .viewType = VK_IMAGE_VIEW_TYPE_2D,
      .format = info.format,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
   };
   CALL(vkCreateImageView(gpu->device, &view, NULL, &texture->view));
   const VkSamplerCreateInfo sampler = {
      .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
      .addressModeU = mode,
      .addressModeV = mode,
      .addressModeW = mode,
   };
   CALL(vkCreateSampler(gpu->device, &sampler, NULL, &texture->sampler));
}

static void
texture_finish(struct gpu *gpu, struct texture *texture)
{
   vkDestroySampler(gpu->device, texture->sampler, NULL);
   vkDestroyImageView(gpu->device, texture->view, NULL);
   picture_finish(gpu, &texture->picture);
}

/* One's image by the other's sampler, and the other's image by its own. */
static void
put_textures(struct gpu *gpu, const struct set *set, const struct texture *one, const struct texture *other,
             uint8_t *to)
{
   DEVICE_FUNCTION(gpu, GetDescriptorEXT);
   DEVICE_FUNCTION(gpu, GetDescriptorSetLayoutBindingOffsetEXT);
   VkPhysicalDeviceDescriptorBufferPropertiesEXT sizes = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &sizes};
   vkGetPhysicalDeviceProperties2(gpu->physical_device, &properties);
   const VkDescriptorImageInfo image = {.imageView = one->view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL},
                               both = {other->sampler, other->view, VK_IMAGE_LAYOUT_GENERAL};
   const VkDescriptorDataEXT data[] = {
      {.pSampledImage = &image}, {.pSampler = &other->sampler}, {.pCombinedImageSampler = &both}};
   const size_t size_of[] = {sizes.sampledImageDescriptorSize, sizes.samplerDescriptorSize,
                             sizes.combinedImageSamplerDescriptorSize};
   for (uint32_t i = 0; i < 3; i++) {
      const VkDescriptorGetInfoEXT info = {
         .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, .type = sampled_kinds[i], .data = data[i]};
      VkDeviceSize offset;
      GetDescriptorSetLayoutBindingOffsetEXT(gpu->device, set->set_layout, i, &offset);
      GetDescriptorEXT(gpu->device, &info, size_of[i], to + offset);
   }
}

static void
check_sampled(const float values[PLACES][2], float one, float other, bool repeated)
{
   for (uint32_t i = 0; i < PLACES; i++) {
      const float texel = i ? (float)(i - 1) : repeated ? TEXELS - 1 : 0;
      CHECK(values[i][0] == one + texel);
      CHECK(values[i][1] == other + texel);
   }
}

static bool
buffered_samplers(void)
{
   VkPhysicalDeviceDescriptorBufferFeaturesEXT features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT};
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME, &features))
      return false;
   enum { SECOND = 4096 };
   const VkBufferUsageFlags usage =
      VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT;
   struct set set;
   struct texture clamped, repeated;
   struct buffer descriptors, values;
   set_init_layout(&gpu, &set, VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT, 3, sampled_kinds);
   const VkPipeline pipeline =
      gpu_create_pipeline(&gpu, set.layout, "sampled.comp", VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
   texture_init(&gpu, &clamped, 10, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
   texture_init(&gpu, &repeated, 20, VK_SAMPLER_ADDRESS_MODE_REPEAT);
   buffer_init(&gpu, &descriptors, 2 * SECOND, usage);
   buffer_init(&gpu, &values, 2 * PLACES * 8, 0);
   put_textures(&gpu, &set, &clamped, &repeated, descriptors.map);
   put_textures(&gpu, &set, &repeated, &clamped, (uint8_t *)descriptors.map + SECOND);

   DEVICE_FUNCTION(&gpu, CmdBindDescriptorBuffersEXT);
   DEVICE_FUNCTION(&gpu, CmdSetDescriptorBufferOffsetsEXT);
   const VkDescriptorBufferBindingInfoEXT binding = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
      .address = descriptors.address,
      .usage = usage,
   };
   const VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   CmdBindDescriptorBuffersEXT(commands, 1, &binding);
   for (uint32_t i = 0; i < 2; i++) {
      const VkDeviceSize offset = i * SECOND;
      const uint64_t to = values.address + i * PLACES * 8;
      CmdSetDescriptorBufferOffsetsEXT(commands, VK_PIPELINE_BIND_POINT_COMPUTE, set.layout, 0, 1, &(uint32_t){0},
                                       &offset);
      vkCmdPushConstants(commands, set.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(to), &to);
      vkCmdDispatch(commands, 1, 1, 1);
   }
   gpu_submit(&gpu, commands);
   const float(*value)[2] = values.map;
   check_sampled(value, 10, 20, true);
   check_sampled(value + PLACES, 20, 10, false);

   buffer_finish(&gpu, &values);
   buffer_finish(&gpu, &descriptors);
   texture_finish(&gpu, &clamped);
   texture_finish(&gpu, &repeated);
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   set_finish(&gpu, &set);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "samplers in a descriptor buffer", .run = buffered_samplers},
   {.name = NULL},
};
