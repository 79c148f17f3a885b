/* SPDX-License-Identifier: MIT */
/* Hooks: the names and labels that an application gives (VK_EXT_debug_utils). */
#include "hooks.h"

VKAPI_ATTR VkResult VKAPI_CALL
layer_SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT *info)
{
   struct layer_device *device = layer_device_of(handle);
   bool known = info->objectType == VK_OBJECT_TYPE_PIPELINE || info->objectType == VK_OBJECT_TYPE_SHADER_EXT ||
                info->objectType == VK_OBJECT_TYPE_QUEUE;
   if (known && !layer_inert) {
      pthread_mutex_lock(&device->lock);
      layer_name_set(device, info->objectHandle, info->pObjectName);
      pthread_mutex_unlock(&device->lock);
   }
   return device->next.SetDebugUtilsObjectNameEXT(handle, info);
}

/* The handle may be given out again. */
static void
forget_name(struct layer_device *device, uint64_t object)
{
   if (layer_inert)
      return;
   pthread_mutex_lock(&device->lock);
   layer_name_set(device, object, NULL);
   pthread_mutex_unlock(&device->lock);
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroyPipeline(VkDevice handle, VkPipeline pipeline, const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   forget_name(device, (uint64_t)pipeline);
   device->next.DestroyPipeline(handle, pipeline, allocator);
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroyShaderEXT(VkDevice handle, VkShaderEXT shader, const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   forget_name(device, (uint64_t)shader);
   device->next.DestroyShaderEXT(handle, shader, allocator);
}

VKAPI_ATTR void VKAPI_CALL
layer_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer commands, const VkDebugUtilsLabelEXT *label)
{
   struct layer_device *device = layer_device_of(commands);
   if (!layer_inert)
      layer_label_begin(device, commands, label->pLabelName);
   device->next.CmdBeginDebugUtilsLabelEXT(commands, label);
}

VKAPI_ATTR void VKAPI_CALL
layer_CmdEndDebugUtilsLabelEXT(VkCommandBuffer commands)
{
   struct layer_device *device = layer_device_of(commands);
   if (!layer_inert)
      layer_label_end(device, commands);
   device->next.CmdEndDebugUtilsLabelEXT(commands);
}

VKAPI_ATTR void VKAPI_CALL
layer_QueueBeginDebugUtilsLabelEXT(VkQueue handle, const VkDebugUtilsLabelEXT *label)
{
   struct layer_device *device = layer_device_of(handle);
   struct layer_queue *queue = layer_inert ? NULL : layer_queue_find(device, handle);
   if (queue)
      layer_queue_begin_label(queue, label->pLabelName);
   device->next.QueueBeginDebugUtilsLabelEXT(handle, label);
}

VKAPI_ATTR void VKAPI_CALL
layer_QueueEndDebugUtilsLabelEXT(VkQueue handle)
{
   struct layer_device *device = layer_device_of(handle);
   struct layer_queue *queue = layer_inert ? NULL : layer_queue_find(device, handle);
   if (queue)
      layer_queue_end_label(queue);
   device->next.QueueEndDebugUtilsLabelEXT(handle);
}
