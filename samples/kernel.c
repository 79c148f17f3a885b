/* SPDX-License-Identifier: MIT */
/* A compute kernel, and the command buffer that it is dispatched in. */
#include "common.h"

static void
create_kernel_layouts(struct sample_kernel *kernel, const struct sample *sample)
{
   VkDescriptorSetLayoutBinding bindings[SAMPLE_MAX_BINDINGS];
   for (uint32_t i = 0; i < kernel->binding_count; i++) {
      bindings[i] = (VkDescriptorSetLayoutBinding){
         .binding = i,
         .descriptorType = kernel->types[i],
         .descriptorCount = 1,
         .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
      };
   }
   VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = kernel->binding_count,
      .pBindings = bindings,
   };
   SAMPLE_CALL(sample, vkCreateDescriptorSetLayout, sample->device, &set_info, NULL, &kernel->set_layout);

   VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = 1,
      .pSetLayouts = &kernel->set_layout,
      .pushConstantRangeCount = kernel->push_constant_size ? 1 : 0,
      .pPushConstantRanges =
         &(VkPushConstantRange){
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
            .size = kernel->push_constant_size,
         },
   };
   SAMPLE_CALL(sample, vkCreatePipelineLayout, sample->device, &layout_info, NULL, &kernel->layout);
}

void
sample_kernel_init(struct sample_kernel *kernel, const struct sample *sample, const struct sample_kernel_info *info)
{
   *kernel = (struct sample_kernel){
      .buffer_count = info->buffer_count,
      .binding_count = info->buffer_count + info->image_count,
      .push_constant_size = info->push_constant_size,
   };
   for (uint32_t i = 0; i < kernel->binding_count; i++)
      kernel->types[i] =
         i < info->buffer_count ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : info->image_types[i - info->buffer_count];
   create_kernel_layouts(kernel, sample);

   VkShaderModule module;
   VkShaderModuleCreateInfo module_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = info->spirv_size,
      .pCode = info->spirv,
   };
   SAMPLE_CALL(sample, vkCreateShaderModule, sample->device, &module_info, NULL, &module);
   VkComputePipelineCreateInfo pipeline_info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
         },
      .layout = kernel->layout,
   };
   SAMPLE_CALL(sample, vkCreateComputePipelines, sample->device, VK_NULL_HANDLE, 1, &pipeline_info, NULL,
               &kernel->pipeline);
   vkDestroyShaderModule(sample->device, module, NULL);
   sample_set_name(sample, VK_OBJECT_TYPE_PIPELINE, (uint64_t)kernel->pipeline, info->name);

   VkDescriptorPoolSize sizes[SAMPLE_MAX_BINDINGS];
   for (uint32_t i = 0; i < kernel->binding_count; i++)
      sizes[i] = (VkDescriptorPoolSize){kernel->types[i], info->max_sets};
   VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = info->max_sets,
      .poolSizeCount = kernel->binding_count,
      .pPoolSizes = sizes,
   };
   SAMPLE_CALL(sample, vkCreateDescriptorPool, sample->device, &pool_info, NULL, &kernel->descriptor_pool);
}

void
sample_kernel_finish(struct sample_kernel *kernel, const struct sample *sample)
{
   vkDestroyDescriptorPool(sample->device, kernel->descriptor_pool, NULL);
   vkDestroyPipeline(sample->device, kernel->pipeline, NULL);
   vkDestroyPipelineLayout(sample->device, kernel->layout, NULL);
   vkDestroyDescriptorSetLayout(sample->device, kernel->set_layout, NULL);
}

VkDescriptorSet
sample_kernel_set(const struct sample_kernel *kernel, const struct sample *sample,
                  const struct sample_buffer *const *buffers)
{
   VkDescriptorSet set;
   VkDescriptorSetAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = kernel->descriptor_pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &kernel->set_layout,
   };
   SAMPLE_CALL(sample, vkAllocateDescriptorSets, sample->device, &info, &set);

   VkDescriptorBufferInfo buffer_infos[SAMPLE_MAX_BINDINGS];
   VkWriteDescriptorSet writes[SAMPLE_MAX_BINDINGS];
   for (uint32_t i = 0; i < kernel->buffer_count; i++) {
      buffer_infos[i] = (VkDescriptorBufferInfo){buffers[i]->buffer, 0, VK_WHOLE_SIZE};
      writes[i] = (VkWriteDescriptorSet){
         .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstSet = set,
         .dstBinding = i,
         .descriptorCount = 1,
         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
         .pBufferInfo = &buffer_infos[i],
      };
   }
   vkUpdateDescriptorSets(sample->device, kernel->buffer_count, writes, 0, NULL);
   return set;
}

VkCommandBuffer
sample_begin(const struct sample *sample)
{
   VkCommandBuffer commands;
   VkCommandBufferAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = sample->command_pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1,
   };
   SAMPLE_CALL(sample, vkAllocateCommandBuffers, sample->device, &info, &commands);
   VkCommandBufferBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   SAMPLE_CALL(sample, vkBeginCommandBuffer, commands, &begin_info);
   return commands;
}

void
sample_begin_label(const struct sample *sample, VkCommandBuffer commands, const char *label)
{
   VkDebugUtilsLabelEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = label};
   if (sample->begin_label)
      sample->begin_label(commands, &info);
}

void
sample_end_label(const struct sample *sample, VkCommandBuffer commands)
{
   if (sample->end_label)
      sample->end_label(commands);
}

void
sample_dispatch_2d(const struct sample *sample, VkCommandBuffer commands, const struct sample_kernel *kernel,
                   VkDescriptorSet set, const void *push_constants, uint32_t width, uint32_t height, const char *label)
{
   VkPhysicalDeviceProperties properties;
   vkGetPhysicalDeviceProperties(sample->physical_device, &properties);
   const uint32_t *most = properties.limits.maxComputeWorkGroupCount;
   if (width > most[0] || height > most[1])
      sample_fail(sample, "-n is too large for %s: it does not take so many workgroups", properties.deviceName);
   sample_begin_label(sample, commands, label);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
   if (set)
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1, &set, 0, NULL);
   if (kernel->push_constant_size)
      vkCmdPushConstants(commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, kernel->push_constant_size,
                         push_constants);
   vkCmdDispatch(commands, width, height, 1);
   sample_end_label(sample, commands);
}

void
sample_dispatch(const struct sample *sample, VkCommandBuffer commands, const struct sample_kernel *kernel,
                VkDescriptorSet set, const void *push_constants, uint32_t groups, const char *label)
{
   sample_dispatch_2d(sample, commands, kernel, set, push_constants, groups, 1, label);
}

void
sample_barrier(VkCommandBuffer commands)
{
   VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                        &barrier, 0, NULL, 0, NULL);
}

void
sample_submit(const struct sample *sample, VkCommandBuffer commands)
{
   VkMemoryBarrier to_host = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                        NULL, 0, NULL);
   SAMPLE_CALL(sample, vkEndCommandBuffer, commands);

   VkFence fence;
   VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
   };
   SAMPLE_CALL(sample, vkCreateFence, sample->device, &fence_info, NULL, &fence);
   SAMPLE_CALL(sample, vkQueueSubmit, sample->queue, 1, &info, fence);
   SAMPLE_CALL(sample, vkWaitForFences, sample->device, 1, &fence, VK_TRUE, UINT64_MAX);
   vkDestroyFence(sample->device, fence, NULL);
   vkFreeCommandBuffers(sample->device, sample->command_pool, 1, &commands);
}
