/* SPDX-License-Identifier: MIT */
#include "resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

#define TABLE_WORDS 64
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void
create_buffer(struct buffer *buffer, struct gpu *gpu, VkDeviceSize size)
{
   buffer_init(gpu, buffer, size,
               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                  VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
   memset(buffer->map, 0, size);
}

static VkBufferView
create_view(struct gpu *gpu, const struct buffer *buffer, VkFormat format)
{
   const VkBufferViewCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
      .buffer = buffer->buffer,
      .format = format,
      .range = VK_WHOLE_SIZE,
   };
   VkBufferView view;
   CALL(vkCreateBufferView(gpu->device, &info, NULL, &view));
   return view;
}

static VkSampler
create_sampler(struct gpu *gpu, VkFilter filter)
{
   const VkSamplerCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
      .magFilter = filter,
      .minFilter = filter,
      .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
      .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
      .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
      .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
      .maxLod = VK_LOD_CLAMP_NONE,
   };
   VkSampler sampler;
   CALL(vkCreateSampler(gpu->device, &info, NULL, &sampler));
   return sampler;
}

/* What a binding is, and how many of them. */
static const struct {
   VkDescriptorType type;
   uint32_t count;
} bindings[] = {
   {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},               /* 0: result */
   {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},               /* 1: input */
   {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},               /* 2: uniform */
   {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, RESOURCE_TABLES}, /* 3: tables */
   {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1},         /* 4: the input's words */
   {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1},         /* 5: the input's bytes as colours */
   {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1},                /* 6 to 11: image.c */
   {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
   {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1},
   {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 4},
   {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
   {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
   {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}, /* 12: the trace */
};

static void
create_layouts(struct resources *resources, struct gpu *gpu)
{
   VkDescriptorSetLayoutBinding layout_bindings[LENGTH(bindings)];
   VkDescriptorBindingFlags flags[LENGTH(bindings)];
   VkDescriptorPoolSize sizes[LENGTH(bindings)];
   for (uint32_t i = 0; i < LENGTH(bindings); i++) {
      layout_bindings[i] = (VkDescriptorSetLayoutBinding){
         .binding = i,
         .descriptorType = bindings[i].type,
         .descriptorCount = bindings[i].count,
         .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
      };
      flags[i] = VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT;
      sizes[i] = (VkDescriptorPoolSize){bindings[i].type, bindings[i].count};
   }
   const VkDescriptorSetLayoutBindingFlagsCreateInfo flags_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
      .bindingCount = LENGTH(bindings),
      .pBindingFlags = flags,
   };
   const VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .pNext = &flags_info,
      .bindingCount = LENGTH(bindings),
      .pBindings = layout_bindings,
   };
   CALL(vkCreateDescriptorSetLayout(gpu->device, &set_info, NULL, &resources->set_layout));
   resources->layout = gpu_create_layout(gpu, 1, &resources->set_layout);

   const VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = 1,
      .poolSizeCount = LENGTH(sizes),
      .pPoolSizes = sizes,
   };
   CALL(vkCreateDescriptorPool(gpu->device, &pool_info, NULL, &resources->pool));
   const VkDescriptorSetAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = resources->pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &resources->set_layout,
   };
   CALL(vkAllocateDescriptorSets(gpu->device, &allocate, &resources->set));
}

static void
write_set(const struct resources *resources, struct gpu *gpu, uint32_t binding, uint32_t element,
          const VkDescriptorBufferInfo *buffer, const VkBufferView *view, const VkDescriptorImageInfo *image)
{
   const VkWriteDescriptorSet write = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = resources->set,
      .dstBinding = binding,
      .dstArrayElement = element,
      .descriptorCount = 1,
      .descriptorType = bindings[binding].type,
      .pBufferInfo = buffer,
      .pTexelBufferView = view,
      .pImageInfo = image,
   };
   vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
}

static void
write_buffers(const struct resources *resources, struct gpu *gpu)
{
   const VkBuffer buffers[] = {resources->result.buffer, resources->input.buffer, resources->uniform.buffer};
   const VkDescriptorBufferInfo trace = {resources->trace.buffer, 0, VK_WHOLE_SIZE};
   for (uint32_t i = 0; i < LENGTH(buffers); i++)
      write_set(resources, gpu, i, 0, &(VkDescriptorBufferInfo){buffers[i], 0, VK_WHOLE_SIZE}, NULL, NULL);
   for (uint32_t i = 0; i < RESOURCE_TABLES; i++) {
      const VkDescriptorBufferInfo table = {resources->tables[i].buffer, 0, VK_WHOLE_SIZE};
      write_set(resources, gpu, 3, i, &table, NULL, NULL);
   }
   write_set(resources, gpu, 12, 0, &trace, NULL, NULL);
   write_set(resources, gpu, 4, 0, NULL, &resources->words, NULL);
   write_set(resources, gpu, 5, 0, NULL, &resources->colours, NULL);
}

static VkResult
init_images(struct resources *resources, struct gpu *gpu)
{
   resources->linear = create_sampler(gpu, VK_FILTER_LINEAR);
   resources->nearest = create_sampler(gpu, VK_FILTER_NEAREST);
   for (uint32_t i = 0; i < RESOURCE_IMAGES; i++) {
      const struct image_kind *kind = &image_kinds[i];
      const VkResult result = image_init(&resources->images[i], gpu, kind);
      if (result != VK_SUCCESS)
         return result;
      const VkDescriptorImageInfo info = {
         .sampler = kind->nearest ? resources->nearest : resources->linear,
         .imageView = resources->images[i].view,
         .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
      };
      write_set(resources, gpu, kind->binding, kind->element, NULL, NULL, &info);
   }
   return VK_SUCCESS;
}

static void
fill_buffers(struct resources *resources, const struct script *script)
{
   uint32_t *words = resources->result.map;
   for (uint32_t i = 0; i < SCRIPT_RESULT_BYTES / 4; i++)
      words[i] = script->fill;
   memcpy(resources->input.map, script->input.data, script->input.size);
   memcpy(resources->uniform.map, script->uniform.data, script->uniform.size);
   for (uint32_t t = 0; t < RESOURCE_TABLES; t++) {
      words = resources->tables[t].map;
      for (uint32_t i = 0; i < TABLE_WORDS; i++)
         words[i] = 100 * t + i;
   }
   memcpy(resources->push, script->push.data, sizeof(resources->push));
   for (uint32_t i = 0; i < script->address_count; i++) {
      const struct address *address = &script->addresses[i];
      const VkDeviceAddress *value = address->of_result ? &resources->result.address : &resources->input.address;
      memcpy(resources->push + address->offset, value, sizeof(*value));
   }
}

VkResult
resources_init(struct resources *resources, struct gpu *gpu, const struct script *script)
{
   *resources = (struct resources){0};
   create_buffer(&resources->result, gpu, SCRIPT_RESULT_BYTES);
   create_buffer(&resources->input, gpu, SCRIPT_MAX_BYTES);
   create_buffer(&resources->uniform, gpu, SCRIPT_MAX_BYTES);
   create_buffer(&resources->trace, gpu, RESOURCE_TRACE_BYTES);
   for (uint32_t i = 0; i < RESOURCE_TABLES; i++)
      create_buffer(&resources->tables[i], gpu, TABLE_WORDS * 4);
   resources->words = create_view(gpu, &resources->input, VK_FORMAT_R32_UINT);
   resources->colours = create_view(gpu, &resources->input, VK_FORMAT_R8G8B8A8_UNORM);
   create_layouts(resources, gpu);
   write_buffers(resources, gpu);
   fill_buffers(resources, script);
   return script->images ? init_images(resources, gpu) : VK_SUCCESS;
}

void
resources_finish(struct resources *resources, struct gpu *gpu)
{
   for (uint32_t i = 0; i < RESOURCE_IMAGES; i++)
      image_finish(&resources->images[i], gpu);
   vkDestroySampler(gpu->device, resources->linear, NULL);
   vkDestroySampler(gpu->device, resources->nearest, NULL);
   vkDestroyDescriptorPool(gpu->device, resources->pool, NULL);
   vkDestroyPipelineLayout(gpu->device, resources->layout, NULL);
   vkDestroyDescriptorSetLayout(gpu->device, resources->set_layout, NULL);
   vkDestroyBufferView(gpu->device, resources->words, NULL);
   vkDestroyBufferView(gpu->device, resources->colours, NULL);
   for (uint32_t i = 0; i < RESOURCE_TABLES; i++)
      buffer_finish(gpu, &resources->tables[i]);
   buffer_finish(gpu, &resources->trace);
   buffer_finish(gpu, &resources->uniform);
   buffer_finish(gpu, &resources->input);
   buffer_finish(gpu, &resources->result);
}
