/* SPDX-License-Identifier: MIT */
#include "fill.h"

#include "shader.h"

static void
create_pipeline(struct gpu *gpu, struct fill *fill, enum numbers numbers)
{
   static const char *const names[] = {
      [NUMBERS_FLOAT] = "fill-vec4", [NUMBERS_SINT] = "fill-ivec4", [NUMBERS_UINT] = "fill-uvec4"};
   const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                                 NULL};
   const VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = 1,
      .pBindings = &binding,
   };
   CALL(vkCreateDescriptorSetLayout(gpu->device, &set_info, NULL, &fill->set_layout));
   const VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = 1,
      .pSetLayouts = &fill->set_layout,
   };
   CALL(vkCreatePipelineLayout(gpu->device, &layout_info, NULL, &fill->layout));
   const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = shader_create(gpu, names[numbers]),
            .pName = "main",
         },
      .layout = fill->layout,
   };
   CALL(vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &fill->pipeline));
   vkDestroyShaderModule(gpu->device, info.stage.module, NULL);
}

static void
create_set(struct gpu *gpu, struct fill *fill)
{
   const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1};
   const VkDescriptorPoolCreateInfo pool = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = 1,
      .poolSizeCount = 1,
      .pPoolSizes = &size,
   };
   CALL(vkCreateDescriptorPool(gpu->device, &pool, NULL, &fill->pool));
   const VkDescriptorSetAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = fill->pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &fill->set_layout,
   };
   CALL(vkAllocateDescriptorSets(gpu->device, &allocate, &fill->set));
   const VkDescriptorImageInfo image = {.imageView = fill->view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
   const VkWriteDescriptorSet write = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = fill->set,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
      .pImageInfo = &image,
   };
   vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
}

void
fill_record(struct gpu *gpu, struct fill *fill, const struct image *image)
{
   const struct shape *shape = &image->shape;
   create_pipeline(gpu, fill, image->format->numbers);
   fill->view = image_view(gpu, image, 0, 0, shape->layers);
   create_set(gpu, fill);
   vkCmdBindPipeline(gpu->commands, VK_PIPELINE_BIND_POINT_COMPUTE, fill->pipeline);
   vkCmdBindDescriptorSets(gpu->commands, VK_PIPELINE_BIND_POINT_COMPUTE, fill->layout, 0, 1, &fill->set, 0, NULL);
   vkCmdDispatch(gpu->commands, (shape->size.width + 7) / 8, (shape->size.height + 7) / 8, shape->layers);
   gpu_barrier(gpu);
}

void
fill_finish(struct gpu *gpu, struct fill *fill)
{
   vkDestroyDescriptorPool(gpu->device, fill->pool, NULL);
   vkDestroyImageView(gpu->device, fill->view, NULL);
   vkDestroyPipeline(gpu->device, fill->pipeline, NULL);
   vkDestroyPipelineLayout(gpu->device, fill->layout, NULL);
   vkDestroyDescriptorSetLayout(gpu->device, fill->set_layout, NULL);
}
