/* SPDX-License-Identifier: MIT */
#include "set.h"

enum { MAX_BINDINGS = 8 };

void
set_init_layout(const struct gpu *gpu, struct set *set, VkDescriptorSetLayoutCreateFlags flags, uint32_t count,
                const VkDescriptorType *types)
{
   *set = (struct set){0};
   VkDescriptorSetLayoutBinding bindings[MAX_BINDINGS];
   CHECK(count <= MAX_BINDINGS);
   for (uint32_t i = 0; i < count; i++)
      bindings[i] = (VkDescriptorSetLayoutBinding){i, types[i], 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
   const VkDescriptorSetLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .flags = flags,
      .bindingCount = count,
      .pBindings = bindings,
   };
   CALL(vkCreateDescriptorSetLayout(gpu->device, &info, NULL, &set->set_layout));
   set->layout = gpu_create_layout(gpu, 1, &set->set_layout);
}

void
set_init(const struct gpu *gpu, struct set *set, uint32_t count, const VkDescriptorType *types)
{
   set_init_layout(gpu, set, 0, count, types);
   VkDescriptorPoolSize sizes[MAX_BINDINGS];
   for (uint32_t i = 0; i < count; i++)
      sizes[i] = (VkDescriptorPoolSize){types[i], 1};
   const VkDescriptorPoolCreateInfo pool = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = 1,
      .poolSizeCount = count,
      .pPoolSizes = sizes,
   };
   CALL(vkCreateDescriptorPool(gpu->device, &pool, NULL, &set->pool));
   const VkDescriptorSetAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = set->pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &set->set_layout,
   };
   CALL(vkAllocateDescriptorSets(gpu->device, &allocate, &set->set));
}

void
set_finish(const struct gpu *gpu, struct set *set)
{
   vkDestroyDescriptorPool(gpu->device, set->pool, NULL);
   vkDestroyPipelineLayout(gpu->device, set->layout, NULL);
   vkDestroyDescriptorSetLayout(gpu->device, set->set_layout, NULL);
}

static void
write_descriptor(const struct gpu *gpu, const struct set *set, uint32_t binding, VkDescriptorType type,
                 const VkDescriptorBufferInfo *buffer, const VkDescriptorImageInfo *image, const VkBufferView *texels)
{
   const VkWriteDescriptorSet write = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set->set,
      .dstBinding = binding,
      .descriptorCount = 1,
      .descriptorType = type,
      .pBufferInfo = buffer,
      .pImageInfo = image,
      .pTexelBufferView = texels,
   };
   vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
}

void
set_write_buffer(const struct gpu *gpu, const struct set *set, uint32_t binding, VkDescriptorType type, VkBuffer buffer,
                 VkDeviceSize offset, VkDeviceSize range)
{
   const VkDescriptorBufferInfo info = {buffer, offset, range};
   write_descriptor(gpu, set, binding, type, &info, NULL, NULL);
}

void
set_write_image(const struct gpu *gpu, const struct set *set, uint32_t binding, VkDescriptorType type, VkImageView view,
                VkSampler sampler, VkImageLayout layout)
{
   const VkDescriptorImageInfo info = {sampler, view, layout};
   write_descriptor(gpu, set, binding, type, NULL, &info, NULL);
}

void
set_write_texels(const struct gpu *gpu, const struct set *set, uint32_t binding, VkDescriptorType type,
                 VkBufferView view)
{
   write_descriptor(gpu, set, binding, type, NULL, NULL, &view);
}

void
set_run(struct gpu *gpu, const struct set *set, VkPipeline pipeline, const void *push, uint32_t push_size,
        uint32_t groups)
{
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, set->layout, 0, 1, &set->set, 0, NULL);
   vkCmdPushConstants(commands, set->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size, push);
   vkCmdDispatch(commands, groups, 1, 1);
   gpu_submit(gpu, commands);
}
