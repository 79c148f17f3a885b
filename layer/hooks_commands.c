/* SPDX-License-Identifier: MIT */
/* Hooks: command buffers, and what is recorded into them that is of interest. */
#include "hooks.h"

VKAPI_ATTR VkResult VKAPI_CALL
layer_AllocateCommandBuffers(VkDevice handle, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *commands)
{
   struct layer_device *device = layer_device_of(handle);
   VkResult result = device->next.AllocateCommandBuffers(handle, info, commands);
   for (uint32_t i = 0; result == VK_SUCCESS && !layer_inert && i < info->commandBufferCount; i++)
      layer_command_buffer_add(device, info->commandPool, commands[i]);
   return result;
}

VKAPI_ATTR void VKAPI_CALL
layer_FreeCommandBuffers(VkDevice handle, VkCommandPool pool, uint32_t count, const VkCommandBuffer *commands)
{
   struct layer_device *device = layer_device_of(handle);
   for (uint32_t i = 0; !layer_inert && i < count; i++) {
      layer_submissions_release(device, commands[i]);
      layer_command_buffer_remove(device, commands[i]);
   }
   device->next.FreeCommandBuffers(handle, pool, count, commands);
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroyCommandPool(VkDevice handle, VkCommandPool pool, const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   if (pool && !layer_inert) {
      layer_submissions_release_pool(device, pool);
      layer_command_pool_remove(device, pool);
   }
   device->next.DestroyCommandPool(handle, pool, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_BeginCommandBuffer(VkCommandBuffer commands, const VkCommandBufferBeginInfo *info)
{
   struct layer_device *device = layer_device_of(commands);
   struct layer_command_buffer *notes = layer_inert ? NULL : layer_command_buffer_find(device, commands);
   if (!layer_inert)
      layer_submissions_release(device, commands);
   if (notes)
      layer_command_buffer_reset(notes);
   return device->next.BeginCommandBuffer(commands, info);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_ResetCommandBuffer(VkCommandBuffer commands, VkCommandBufferResetFlags flags)
{
   struct layer_device *device = layer_device_of(commands);
   if (!layer_inert)
      layer_submissions_release(device, commands);
   return device->next.ResetCommandBuffer(commands, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_ResetCommandPool(VkDevice handle, VkCommandPool pool, VkCommandPoolResetFlags flags)
{
   struct layer_device *device = layer_device_of(handle);
   if (!layer_inert)
      layer_submissions_release_pool(device, pool);
   return device->next.ResetCommandPool(handle, pool, flags);
}

VKAPI_ATTR void VKAPI_CALL
layer_CmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline)
{
   struct layer_device *device = layer_device_of(commands);
   if (point == VK_PIPELINE_BIND_POINT_COMPUTE && !layer_inert)
      layer_recorder_bind(device, commands, pipeline);
   device->next.CmdBindPipeline(commands, point, pipeline);
}

VKAPI_ATTR void VKAPI_CALL
layer_CmdPushConstants(VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset,
                       uint32_t size, const void *values)
{
   struct layer_device *device = layer_device_of(commands);
   if (stages & VK_SHADER_STAGE_COMPUTE_BIT && !layer_inert)
      layer_recorder_push(device, commands, offset, size, values);
   device->next.CmdPushConstants(commands, layout, stages, offset, size, values);
}

static void
record_dispatch(struct layer_device *device, VkCommandBuffer commands, const uint32_t base[3], const uint32_t grid[3],
                uint32_t flags)
{
   if (!layer_inert)
      layer_recorder_dispatch(device, commands, base, grid, flags);
}

VKAPI_ATTR void VKAPI_CALL
layer_CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)
{
   struct layer_device *device = layer_device_of(commands);
   record_dispatch(device, commands, (uint32_t[3]){0}, (uint32_t[3]){x, y, z}, 0);
   device->next.CmdDispatch(commands, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL
layer_CmdDispatchBase(VkCommandBuffer commands, uint32_t base_x, uint32_t base_y, uint32_t base_z, uint32_t x,
                      uint32_t y, uint32_t z)
{
   struct layer_device *device = layer_device_of(commands);
   record_dispatch(device, commands, (uint32_t[3]){base_x, base_y, base_z}, (uint32_t[3]){x, y, z}, 0);
   device->next.CmdDispatchBase(commands, base_x, base_y, base_z, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL
layer_CmdDispatchIndirect(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset)
{
   struct layer_device *device = layer_device_of(commands);
   record_dispatch(device, commands, (uint32_t[3]){0}, (uint32_t[3]){0}, HDB_DISPATCH_INDIRECT);
   device->next.CmdDispatchIndirect(commands, buffer, offset);
}

VKAPI_ATTR void VKAPI_CALL
layer_CmdExecuteCommands(VkCommandBuffer commands, uint32_t count, const VkCommandBuffer *secondaries)
{
   struct layer_device *device = layer_device_of(commands);
   if (!layer_inert && !device->driver)
      layer_recorder_execute(device, commands, count, secondaries);
   if (!layer_inert && layer_frames.markers)
      layer_frame_note_execution(device, commands, count, secondaries);
   device->next.CmdExecuteCommands(commands, count, secondaries);
}
