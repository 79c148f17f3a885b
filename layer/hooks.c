/* SPDX-License-Identifier: MIT */
/*
 * The table of hooks. Each hook is a few lines; what is not needed for a device is not hooked at all: recording a
 * dispatch on hdb's driver costs nothing here, since the driver keeps the records.
 */
#include "hooks.h"

#include <string.h>

/* ---- physical devices ---- */

VKAPI_ATTR VkResult VKAPI_CALL
layer_EnumeratePhysicalDevices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
   return layer_enumerate_devices(layer_instance_of(instance), count, devices);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_EnumeratePhysicalDeviceGroups(VkInstance instance, uint32_t *count, VkPhysicalDeviceGroupProperties *groups)
{
   return layer_enumerate_device_groups(layer_instance_of(instance), count, groups);
}

/* ---- the table ---- */

enum hook_kind {
   INSTANCE,
   ALWAYS,
   FOR_UTILS,    /* with VK_EXT_debug_utils */
   FOR_MARKERS,  /* with VK_EXT_debug_marker */
   FOR_NAMES,    /* with either: what has names */
   FOR_PRINTS,   /* a driver whose shaders print */
   FOR_RECORDING /* no driver to ask for records */
};

/* clang-format off */
#define HOOK(kind, name) {kind, "vk" #name, (PFN_vkVoidFunction)layer_##name}
#define HOOK_AS(kind, alias, name) {kind, "vk" #alias, (PFN_vkVoidFunction)layer_##name}
/* clang-format on */

static const struct hook {
   enum hook_kind kind;
   const char *name;
   PFN_vkVoidFunction function;
} hooks[] = {
   HOOK(INSTANCE, CreateDevice),
   HOOK(INSTANCE, DestroyInstance),
   HOOK(INSTANCE, EnumerateDeviceExtensionProperties),
   HOOK(INSTANCE, EnumerateDeviceLayerProperties),
   HOOK(INSTANCE, EnumeratePhysicalDevices),
   HOOK(INSTANCE, EnumeratePhysicalDeviceGroups),
   HOOK_AS(INSTANCE, EnumeratePhysicalDeviceGroupsKHR, EnumeratePhysicalDeviceGroups),

   HOOK(INSTANCE, GetPhysicalDeviceFeatures2),
   HOOK_AS(INSTANCE, GetPhysicalDeviceFeatures2KHR, GetPhysicalDeviceFeatures2),
   HOOK(INSTANCE, CreateXcbSurfaceKHR),
   HOOK(INSTANCE, CreateXlibSurfaceKHR),
   HOOK(INSTANCE, CreateWaylandSurfaceKHR),
   HOOK(INSTANCE, DestroySurfaceKHR),

   HOOK(INSTANCE, GetPhysicalDeviceToolProperties),
   HOOK_AS(INSTANCE, GetPhysicalDeviceToolPropertiesEXT, GetPhysicalDeviceToolProperties),
   HOOK(INSTANCE, CreateDebugUtilsMessengerEXT),
   HOOK(INSTANCE, DestroyDebugUtilsMessengerEXT),

   HOOK(ALWAYS, GetDeviceProcAddr),
   HOOK(ALWAYS, DestroyDevice),
   HOOK(ALWAYS, GetDeviceQueue),
   HOOK(ALWAYS, GetDeviceQueue2),
   HOOK(ALWAYS, QueueSubmit),
   HOOK(ALWAYS, QueueSubmit2),
   HOOK_AS(ALWAYS, QueueSubmit2KHR, QueueSubmit2),

   HOOK(ALWAYS, QueuePresentKHR),

   HOOK(FOR_UTILS, SetDebugUtilsObjectNameEXT),
   HOOK(FOR_UTILS, CmdBeginDebugUtilsLabelEXT),
   HOOK(FOR_UTILS, CmdEndDebugUtilsLabelEXT),
   HOOK(FOR_UTILS, CmdInsertDebugUtilsLabelEXT),
   HOOK(FOR_UTILS, QueueBeginDebugUtilsLabelEXT),
   HOOK(FOR_UTILS, QueueEndDebugUtilsLabelEXT),
   HOOK(FOR_UTILS, QueueInsertDebugUtilsLabelEXT),
   HOOK(FOR_MARKERS, DebugMarkerSetObjectNameEXT),
   HOOK(FOR_MARKERS, DebugMarkerSetObjectTagEXT),
   HOOK(FOR_MARKERS, CmdDebugMarkerBeginEXT),
   HOOK(FOR_MARKERS, CmdDebugMarkerEndEXT),
   HOOK(FOR_MARKERS, CmdDebugMarkerInsertEXT),
   HOOK(FOR_NAMES, CreateAccelerationStructureKHR),
   HOOK(FOR_NAMES, CreateBuffer),
   HOOK(FOR_NAMES, DestroyAccelerationStructureKHR),
   HOOK(FOR_NAMES, DestroyBuffer),
   HOOK(FOR_NAMES, DestroyImage),
   HOOK(ALWAYS, DestroyPipeline),
   HOOK(ALWAYS, DestroyShaderEXT),

   HOOK(ALWAYS, CreateShaderModule),
   HOOK(ALWAYS, CreateComputePipelines),
   HOOK(ALWAYS, CreateGraphicsPipelines),
   HOOK(ALWAYS, CreatePipelineLayout),
   HOOK(ALWAYS, DestroyPipelineLayout),
   HOOK(ALWAYS, CreateRayTracingPipelinesKHR),
   HOOK(ALWAYS, CreateShadersEXT),

   HOOK(ALWAYS, DestroyIndirectExecutionSetEXT),
   HOOK(ALWAYS, UpdateIndirectExecutionSetPipelineEXT),
   HOOK(ALWAYS, UpdateIndirectExecutionSetShaderEXT),

   HOOK(ALWAYS, AllocateCommandBuffers),
   HOOK(ALWAYS, FreeCommandBuffers),
   HOOK(ALWAYS, DestroyCommandPool),
   HOOK(ALWAYS, BeginCommandBuffer),
   HOOK(ALWAYS, ResetCommandBuffer),
   HOOK(ALWAYS, ResetCommandPool),
   HOOK(ALWAYS, CmdExecuteCommands),

   HOOK(FOR_PRINTS, WaitForFences),
   HOOK(FOR_PRINTS, GetFenceStatus),
   HOOK(FOR_PRINTS, WaitSemaphores),
   HOOK_AS(FOR_PRINTS, WaitSemaphoresKHR, WaitSemaphores),
   HOOK(FOR_PRINTS, QueueWaitIdle),
   HOOK(FOR_PRINTS, DeviceWaitIdle),

   HOOK(FOR_RECORDING, DestroyShaderModule),
   HOOK(FOR_RECORDING, CmdBindPipeline),
   HOOK(FOR_RECORDING, CmdPushConstants),
   HOOK(FOR_RECORDING, CmdDispatch),
   HOOK(FOR_RECORDING, CmdDispatchBase),
   HOOK_AS(FOR_RECORDING, CmdDispatchBaseKHR, CmdDispatchBase),
   HOOK(FOR_RECORDING, CmdDispatchIndirect),
};

static const struct hook *
find_hook(const char *name)
{
   for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
      if (!strcmp(hooks[i].name, name))
         return &hooks[i];
   }
   return NULL;
}

static bool
applies(const struct hook *hook, const struct layer_device *device)
{
   switch (hook->kind) {
   case INSTANCE:
      return false;
   case ALWAYS:
      return true;
   case FOR_UTILS:
      return device->instance->debug_utils;
   case FOR_MARKERS:
      return device->debug_marker;
   case FOR_NAMES:
      return device->instance->debug_utils || device->debug_marker;
   case FOR_PRINTS:
      return device->driver;
   case FOR_RECORDING:
      return !device->driver;
   }
   return false;
}

PFN_vkVoidFunction
layer_unconditional_hook(const char *name)
{
   const struct hook *hook = find_hook(name);
   return hook && hook->kind == INSTANCE ? hook->function : NULL;
}

PFN_vkVoidFunction
layer_instance_hook(const struct layer_instance *instance, const char *name)
{
   const struct hook *hook = find_hook(name);
   if (!hook)
      return NULL;
   switch (hook->kind) {
   case INSTANCE:
   case ALWAYS:
      return hook->function;
   case FOR_UTILS: /* the loader asks for these functions here and not at the device */
   case FOR_NAMES:
      return instance->debug_utils ? hook->function : NULL;
   case FOR_MARKERS:
   case FOR_PRINTS:
   case FOR_RECORDING: /* a matter of the device; the loader's own pointers lead to vkGetDeviceProcAddr */
      return NULL;
   }
   return NULL;
}

PFN_vkVoidFunction
layer_device_hook(const struct layer_device *device, const char *name, bool has_next)
{
   const struct hook *hook = find_hook(name);
   bool of_its_own = hook && hook->kind == FOR_MARKERS; /* the layer has these, whether or not a driver does */
   return hook && (has_next || of_its_own) && applies(hook, device) ? hook->function : NULL;
}
