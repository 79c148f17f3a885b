/* SPDX-License-Identifier: MIT */
#include "kernel.h"

void
bindings_init(struct device *device, struct bindings *bindings)
{
   VkDescriptorSetLayoutBinding list[3];
   for (uint32_t i = 0; i < 3; i++)
      list[i] = (VkDescriptorSetLayoutBinding){
         .binding = i,
         .descriptorType = i ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
         .descriptorCount = 1,
         .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
      };
   const VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 3, .pBindings = list};
   CALL(device->CreateDescriptorSetLayout(device->device, &set_info, NULL, &bindings->set_layout));
   bindings->layout = device_create_layout(device, bindings->set_layout);
   const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
                                         {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}};
   const VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
   CALL(device->CreateDescriptorPool(device->device, &pool_info, NULL, &bindings->pool));
}

void
bindings_finish(struct device *device, struct bindings *bindings)
{
   device->DestroyDescriptorPool(device->device, bindings->pool, NULL);
   device->DestroyPipelineLayout(device->device, bindings->layout, NULL);
   device->DestroyDescriptorSetLayout(device->device, bindings->set_layout, NULL);
}

void
kernel_run(struct device *device, const struct bindings *bindings, VkPipeline pipeline, VkImageView view,
           VkSampler sampler, const struct buffer *in, const struct buffer *out, const void *push, uint32_t push_size,
           uint32_t workgroups)
{
   CALL(device->ResetDescriptorPool(device->device, bindings->pool, 0));
   const VkDescriptorSetAllocateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                 .descriptorPool = bindings->pool,
                                                 .descriptorSetCount = 1,
                                                 .pSetLayouts = &bindings->set_layout};
   VkDescriptorSet set;
   CALL(device->AllocateDescriptorSets(device->device, &set_info, &set));
   const VkDescriptorBufferInfo buffers[] = {{in->buffer, 0, VK_WHOLE_SIZE}, {out->buffer, 0, VK_WHOLE_SIZE}};
   VkWriteDescriptorSet write = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set,
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      .pBufferInfo = &buffers[0],
   };
   device->UpdateDescriptorSets(device->device, 1, &write, 0, NULL);
   write.dstBinding = 2;
   write.pBufferInfo = &buffers[1];
   device->UpdateDescriptorSets(device->device, 1, &write, 0, NULL);
   if (view) {
      const VkDescriptorImageInfo texture = {sampler, view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
      write.dstBinding = 0;
      write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
      write.pImageInfo = &texture;
      device->UpdateDescriptorSets(device->device, 1, &write, 0, NULL);
   }

   device_begin(device);
   device->CmdBindPipeline(device->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   device->CmdBindDescriptorSets(device->commands, VK_PIPELINE_BIND_POINT_COMPUTE, bindings->layout, 0, 1, &set, 0,
                                 NULL);
   device->CmdPushConstants(device->commands, bindings->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size, push);
   device->CmdDispatch(device->commands, workgroups, 1, 1);
   device_submit(device);
}
