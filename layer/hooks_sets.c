/* SPDX-License-Identifier: MIT */
/* Hooks: indirect execution sets. The launch words of generated dispatches are in them: before one changes or goes,
 * what was armed in it is to be disarmed. */
#include "hooks.h"

VKAPI_ATTR void VKAPI_CALL
layer_DestroyIndirectExecutionSetEXT(VkDevice handle, VkIndirectExecutionSetEXT set,
                                     const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   if (set && !layer_inert)
      layer_submissions_settle_generated(device);
   device->next.DestroyIndirectExecutionSetEXT(handle, set, allocator);
}

VKAPI_ATTR void VKAPI_CALL
layer_UpdateIndirectExecutionSetPipelineEXT(VkDevice handle, VkIndirectExecutionSetEXT set, uint32_t count,
                                            const VkWriteIndirectExecutionSetPipelineEXT *writes)
{
   struct layer_device *device = layer_device_of(handle);
   if (!layer_inert)
      layer_submissions_settle_generated(device);
   device->next.UpdateIndirectExecutionSetPipelineEXT(handle, set, count, writes);
}

VKAPI_ATTR void VKAPI_CALL
layer_UpdateIndirectExecutionSetShaderEXT(VkDevice handle, VkIndirectExecutionSetEXT set, uint32_t count,
                                          const VkWriteIndirectExecutionSetShaderEXT *writes)
{
   struct layer_device *device = layer_device_of(handle);
   if (!layer_inert)
      layer_submissions_settle_generated(device);
   device->next.UpdateIndirectExecutionSetShaderEXT(handle, set, count, writes);
}
