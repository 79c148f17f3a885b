/* SPDX-License-Identifier: MIT */
#include "gpu.h"

#define TIMEOUT_NS UINT64_C(120000000000)

static VkCommandBuffer
allocate(const struct gpu *gpu, VkCommandBufferLevel level)
{
   const VkCommandBufferAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = gpu->pool,
      .level = level,
      .commandBufferCount = 1,
   };
   VkCommandBuffer commands;
   CALL(vkAllocateCommandBuffers(gpu->device, &info, &commands));
   return commands;
}

VkCommandBuffer
gpu_begin(struct gpu *gpu)
{
   gpu->commands = allocate(gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   CALL(vkBeginCommandBuffer(gpu->commands, &begin));
   return gpu->commands;
}

VkCommandBuffer
gpu_begin_secondary(const struct gpu *gpu, const VkCommandBufferInheritanceRenderingInfo *rendering)
{
   const VkCommandBuffer commands = allocate(gpu, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
   const VkCommandBufferInheritanceInfo inheritance = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
      .pNext = rendering,
   };
   const VkCommandBufferBeginInfo begin = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT |
               (rendering ? VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT : 0),
      .pInheritanceInfo = &inheritance,
   };
   CALL(vkBeginCommandBuffer(commands, &begin));
   return commands;
}

void
gpu_barrier(VkCommandBuffer commands)
{
   const VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
                        NULL);
}

void
gpu_transition(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout before,
               VkImageLayout after)
{
   const VkImageMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .oldLayout = before,
      .newLayout = after,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .image = image,
      .subresourceRange = {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS},
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                        NULL, 1, &barrier);
}

VkResult
gpu_try_submit(const struct gpu *gpu, VkCommandBuffer commands)
{
   gpu_barrier(commands);
   CALL(vkEndCommandBuffer(commands));
   const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   VkFence fence;
   CALL(vkCreateFence(gpu->device, &fence_info, NULL, &fence));
   const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
   };
   VkResult result = vkQueueSubmit(gpu->queue, 1, &submit, fence);
   if (result == VK_SUCCESS)
      result = vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, TIMEOUT_NS);
   vkDestroyFence(gpu->device, fence, NULL);
   if (result != VK_TIMEOUT) /* else they still run */
      vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &commands);
   return result;
}

void
gpu_submit(const struct gpu *gpu, VkCommandBuffer commands)
{
   CALL(gpu_try_submit(gpu, commands));
}
