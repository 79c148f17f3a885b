/* SPDX-License-Identifier: MIT */
/* Hooks: the names and labels that an application gives (VK_EXT_debug_utils). */
#include "hooks.h"

static bool
is_of_use(VkObjectType type)
{
   switch (type) {
   case VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR:
   case VK_OBJECT_TYPE_BUFFER:
   case VK_OBJECT_TYPE_IMAGE:
   case VK_OBJECT_TYPE_PIPELINE:
   case VK_OBJECT_TYPE_QUEUE:
   case VK_OBJECT_TYPE_SHADER_EXT:
      return true;
   default:
      return false;
   }
}

void
layer_name_note(struct layer_device *device, VkObjectType type, uint64_t object, const char *name)
{
   if (!is_of_use(type) || layer_inert)
      return;
   pthread_mutex_lock(&device->lock);
   layer_name_set(device, object, name);
   pthread_mutex_unlock(&device->lock);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT *info)
{
   struct layer_device *device = layer_device_of(handle);
   layer_name_note(device, info->objectType, info->objectHandle, info->pObjectName);
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
   if (!layer_inert)
      layer_push_size_forget(device, (uint64_t)pipeline);
   if (!device->driver && !layer_inert)
      layer_stand_in_remove(device, pipeline);
   device->next.DestroyPipeline(handle, pipeline, allocator);
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroyShaderEXT(VkDevice handle, VkShaderEXT shader, const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   forget_name(device, (uint64_t)shader);
   if (!layer_inert)
      layer_push_size_forget(device, (uint64_t)shader);
   device->next.DestroyShaderEXT(handle, shader, allocator);
}

/* ---- what addresses are in: see objects.c ---- */

static bool
has_addresses(const struct layer_device *device)
{
   return device->messenger && !layer_inert;
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateBuffer(VkDevice handle, const VkBufferCreateInfo *info, const VkAllocationCallbacks *allocator,
                   VkBuffer *buffer)
{
   struct layer_device *device = layer_device_of(handle);
   VkResult result = device->next.CreateBuffer(handle, info, allocator, buffer);
   if (result == VK_SUCCESS && has_addresses(device))
      layer_object_add_buffer(device, *buffer, info->size);
   return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateAccelerationStructureKHR(VkDevice handle, const VkAccelerationStructureCreateInfoKHR *info,
                                     const VkAllocationCallbacks *allocator, VkAccelerationStructureKHR *structure)
{
   struct layer_device *device = layer_device_of(handle);
   VkResult result = device->next.CreateAccelerationStructureKHR(handle, info, allocator, structure);
   if (result == VK_SUCCESS && has_addresses(device))
      layer_object_add_acceleration_structure(device, *structure, info);
   return result;
}

static void
forget_object(struct layer_device *device, uint64_t object)
{
   forget_name(device, object);
   if (has_addresses(device))
      layer_object_remove(device, object);
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroyBuffer(VkDevice handle, VkBuffer buffer, const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   forget_object(device, (uint64_t)buffer);
   device->next.DestroyBuffer(handle, buffer, allocator);
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroyImage(VkDevice handle, VkImage image, const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   forget_object(device, (uint64_t)image);
   device->next.DestroyImage(handle, image, allocator);
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroyAccelerationStructureKHR(VkDevice handle, VkAccelerationStructureKHR structure,
                                      const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   forget_object(device, (uint64_t)structure);
   device->next.DestroyAccelerationStructureKHR(handle, structure, allocator);
}

/* ---- labels ---- */

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
layer_CmdInsertDebugUtilsLabelEXT(VkCommandBuffer commands, const VkDebugUtilsLabelEXT *label)
{
   struct layer_device *device = layer_device_of(commands);
   layer_frame_note_marker(device, commands, label->pLabelName);
   device->next.CmdInsertDebugUtilsLabelEXT(commands, label);
}

VKAPI_ATTR void VKAPI_CALL
layer_QueueInsertDebugUtilsLabelEXT(VkQueue queue, const VkDebugUtilsLabelEXT *label)
{
   struct layer_device *device = layer_device_of(queue);
   if (layer_frame_is_marker(label->pLabelName))
      layer_frames_end(LAYER_FRAME_MARKED);
   device->next.QueueInsertDebugUtilsLabelEXT(queue, label);
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
