/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "affine.h"
#include "affine.comp.h"

void
affine_init(struct affine *affine, const struct sample *sample, uint32_t n)
{
   *affine = (struct affine){.sample = sample, .n = n};
   sample_buffer_init(&affine->buffer, sample, n * sizeof(uint32_t));
   memset(affine->buffer.map, 0, n * sizeof(uint32_t));
   sample_kernel_init(&affine->kernel, sample,
                      &(struct sample_kernel_info){
                         .name = "affine",
                         .spirv = affine_spirv,
                         .spirv_size = sizeof(affine_spirv),
                         .buffer_count = 1,
                         .push_constant_size = sizeof(struct affine_step),
                         .max_sets = 1,
                      });
   affine->set = sample_kernel_set(&affine->kernel, sample, (const struct sample_buffer *const[]){&affine->buffer});
}

void
affine_finish(struct affine *affine)
{
   sample_kernel_finish(&affine->kernel, affine->sample);
   sample_buffer_finish(&affine->buffer, affine->sample);
}

VkCommandBuffer
affine_begin(const struct affine *affine, VkCommandBufferLevel level, VkCommandBufferUsageFlags usage)
{
   const struct sample *sample = affine->sample;
   VkCommandBuffer commands;
   VkCommandBufferAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = sample->command_pool,
      .level = level,
      .commandBufferCount = 1,
   };
   SAMPLE_CALL(sample, vkAllocateCommandBuffers, sample->device, &info, &commands);
   VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
   VkCommandBufferBeginInfo begin_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      .flags = usage,
      .pInheritanceInfo = &inheritance,
   };
   SAMPLE_CALL(sample, vkBeginCommandBuffer, commands, &begin_info);
   return commands;
}

void
affine_record(const struct affine *affine, VkCommandBuffer commands, const struct affine_step *step, const char *label)
{
   sample_dispatch(affine->sample, commands, &affine->kernel, affine->set, step,
                   (step->count + AFFINE_WORKGROUP - 1) / AFFINE_WORKGROUP, label);
}

VkFence
affine_submit(const struct sample *sample, VkCommandBuffer commands)
{
   VkFence fence;
   VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
   };
   SAMPLE_CALL(sample, vkCreateFence, sample->device, &fence_info, NULL, &fence);
   SAMPLE_CALL(sample, vkQueueSubmit, sample->queue, 1, &info, fence);
   return fence;
}

void
affine_barrier(VkCommandBuffer commands)
{
   VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT,
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
                        NULL);
}

uint32_t
affine_count(const struct affine *affine, uint32_t expected)
{
   const uint32_t *values = affine->buffer.map;
   uint32_t count = 0;
   for (uint32_t i = 0; i < affine->n; i++)
      count += values[i] == expected;
   return count;
}
