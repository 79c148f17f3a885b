/* SPDX-License-Identifier: MIT */
/*
 * Hooks: VK_EXT_debug_marker, the older way to give names and labels. Hardly a driver has it: the layer offers it, and
 * passes on what a driver below that does have it is to know.
 */
#include <stdlib.h>

#include "hooks.h"
#include "layer_version.h"

static VkObjectType
object_type(VkDebugReportObjectTypeEXT type)
{
   switch (type) {
   case VK_DEBUG_REPORT_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR_EXT:
      return VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR;
   case VK_DEBUG_REPORT_OBJECT_TYPE_BUFFER_EXT:
      return VK_OBJECT_TYPE_BUFFER;
   case VK_DEBUG_REPORT_OBJECT_TYPE_IMAGE_EXT:
      return VK_OBJECT_TYPE_IMAGE;
   case VK_DEBUG_REPORT_OBJECT_TYPE_PIPELINE_EXT:
      return VK_OBJECT_TYPE_PIPELINE;
   case VK_DEBUG_REPORT_OBJECT_TYPE_QUEUE_EXT:
      return VK_OBJECT_TYPE_QUEUE;
   default:
      return VK_OBJECT_TYPE_UNKNOWN;
   }
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_DebugMarkerSetObjectNameEXT(VkDevice handle, const VkDebugMarkerObjectNameInfoEXT *info)
{
   struct layer_device *device = layer_device_of(handle);
   layer_name_note(device, object_type(info->objectType), info->object, info->pObjectName);
   PFN_vkDebugMarkerSetObjectNameEXT next = device->next.DebugMarkerSetObjectNameEXT;
   return next ? next(handle, info) : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_DebugMarkerSetObjectTagEXT(VkDevice handle, const VkDebugMarkerObjectTagInfoEXT *info)
{
   PFN_vkDebugMarkerSetObjectTagEXT next = layer_device_of(handle)->next.DebugMarkerSetObjectTagEXT;
   return next ? next(handle, info) : VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
layer_CmdDebugMarkerBeginEXT(VkCommandBuffer commands, const VkDebugMarkerMarkerInfoEXT *info)
{
   struct layer_device *device = layer_device_of(commands);
   if (!layer_inert)
      layer_label_begin(device, commands, info->pMarkerName);
   if (device->next.CmdDebugMarkerBeginEXT)
      device->next.CmdDebugMarkerBeginEXT(commands, info);
}

VKAPI_ATTR void VKAPI_CALL
layer_CmdDebugMarkerEndEXT(VkCommandBuffer commands)
{
   struct layer_device *device = layer_device_of(commands);
   if (!layer_inert)
      layer_label_end(device, commands);
   if (device->next.CmdDebugMarkerEndEXT)
      device->next.CmdDebugMarkerEndEXT(commands);
}

VKAPI_ATTR void VKAPI_CALL
layer_CmdDebugMarkerInsertEXT(VkCommandBuffer commands, const VkDebugMarkerMarkerInfoEXT *info)
{
   struct layer_device *device = layer_device_of(commands);
   layer_frame_note_marker(device, commands, info->pMarkerName);
   if (device->next.CmdDebugMarkerInsertEXT)
      device->next.CmdDebugMarkerInsertEXT(commands, info);
}

/* ---- what the layer has of its own: the manifest says the same ---- */

const VkExtensionProperties layer_device_extensions[LAYER_DEVICE_EXTENSIONS] = {
   {VK_EXT_FRAME_BOUNDARY_EXTENSION_NAME, VK_EXT_FRAME_BOUNDARY_SPEC_VERSION}, /* see frames.c */
   {VK_EXT_DEBUG_MARKER_EXTENSION_NAME, VK_EXT_DEBUG_MARKER_SPEC_VERSION},
   {VK_EXT_TOOLING_INFO_EXTENSION_NAME, VK_EXT_TOOLING_INFO_SPEC_VERSION},
};

static bool
has(const VkExtensionProperties *extensions, uint32_t count, const char *name)
{
   for (uint32_t i = 0; i < count; i++) {
      if (!strcmp(extensions[i].extensionName, name))
         return true;
   }
   return false;
}

VkResult
layer_add_device_extensions(struct layer_instance *instance, VkPhysicalDevice device, uint32_t *count,
                            VkExtensionProperties *properties)
{
   PFN_vkEnumerateDeviceExtensionProperties next = instance->next.EnumerateDeviceExtensionProperties;
   uint32_t all = 0, room = properties ? *count : 0;
   VkResult result = next(device, NULL, &all, NULL);
   VkExtensionProperties *extensions =
      result == VK_SUCCESS ? calloc(all + LAYER_DEVICE_EXTENSIONS, sizeof(*extensions)) : NULL;
   if (!extensions)
      return result == VK_SUCCESS ? VK_ERROR_OUT_OF_HOST_MEMORY : result;
   result = next(device, NULL, &all, extensions);
   for (uint32_t i = 0; i < LAYER_DEVICE_EXTENSIONS; i++) {
      if (!has(extensions, all, layer_device_extensions[i].extensionName))
         extensions[all++] = layer_device_extensions[i];
   }
   *count = properties && room < all ? room : all;
   if (properties && result >= VK_SUCCESS)
      memcpy(properties, extensions, *count * sizeof(*properties));
   free(extensions);
   return result < VK_SUCCESS ? result : properties && room < all ? VK_INCOMPLETE : VK_SUCCESS;
}

/* VK_EXT_tooling_info, core in Vulkan 1.3. */
VKAPI_ATTR VkResult VKAPI_CALL
layer_GetPhysicalDeviceToolProperties(VkPhysicalDevice device, uint32_t *count, VkPhysicalDeviceToolProperties *tools)
{
   PFN_vkGetPhysicalDeviceToolProperties next = layer_instance_of(device)->next.GetPhysicalDeviceToolProperties;
   if (tools && !*count)
      return VK_INCOMPLETE;
   uint32_t others = tools ? *count - 1 : 0;
   VkResult result = next(device, &others, tools ? tools + 1 : NULL);
   if (result < VK_SUCCESS)
      return result;
   *count = others + 1;
   if (tools) {
      void *chained = tools->pNext;
      *tools = (VkPhysicalDeviceToolProperties){
         .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES,
         .pNext = chained,
         .name = "hdb",
         .version = HDB_VERSION,
         .purposes = VK_TOOL_PURPOSE_TRACING_BIT | VK_TOOL_PURPOSE_ADDITIONAL_FEATURES_BIT |
                     VK_TOOL_PURPOSE_DEBUG_REPORTING_BIT_EXT | VK_TOOL_PURPOSE_DEBUG_MARKERS_BIT_EXT,
         .description = "a source-level debugger for compute shaders",
         .layer = LAYER_NAME,
      };
   }
   return result;
}
