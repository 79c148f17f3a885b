/* SPDX-License-Identifier: MIT */
/* The functions of Vulkan that the layer stands in front of. Each has the type that Vulkan gives it. */
#ifndef LAYER_HOOKS_H
#define LAYER_HOOKS_H

#include "layer.h"

struct VkXcbSurfaceCreateInfoKHR;
struct VkXlibSurfaceCreateInfoKHR;
struct VkWaylandSurfaceCreateInfoKHR;

#define LAYER_HOOK(name) __typeof__(vk##name) layer_##name

/* chain.c, instance.c, device.c */
LAYER_HOOK(CreateDevice);
LAYER_HOOK(CreateInstance);
LAYER_HOOK(DestroyDevice);
LAYER_HOOK(DestroyInstance);
LAYER_HOOK(EnumerateDeviceExtensionProperties);
LAYER_HOOK(EnumerateDeviceLayerProperties);
LAYER_HOOK(GetDeviceProcAddr);
LAYER_HOOK(GetInstanceProcAddr);

/* hooks.c */
LAYER_HOOK(EnumeratePhysicalDevices);
LAYER_HOOK(EnumeratePhysicalDeviceGroups);

/* hooks_markers.c */
LAYER_HOOK(DebugMarkerSetObjectNameEXT);
LAYER_HOOK(DebugMarkerSetObjectTagEXT);
LAYER_HOOK(CmdDebugMarkerBeginEXT);
LAYER_HOOK(CmdDebugMarkerEndEXT);
LAYER_HOOK(CmdDebugMarkerInsertEXT);
LAYER_HOOK(GetPhysicalDeviceToolProperties);

/* messengers.c */
LAYER_HOOK(CreateDebugUtilsMessengerEXT);
LAYER_HOOK(DestroyDebugUtilsMessengerEXT);

/* hooks_queue.c */
LAYER_HOOK(GetPhysicalDeviceFeatures2);
LAYER_HOOK(GetDeviceQueue);
LAYER_HOOK(GetDeviceQueue2);
LAYER_HOOK(QueueSubmit);
LAYER_HOOK(QueueSubmit2);
LAYER_HOOK(QueuePresentKHR);

/* prints.c */
LAYER_HOOK(WaitForFences);
LAYER_HOOK(GetFenceStatus);
LAYER_HOOK(WaitSemaphores);
LAYER_HOOK(QueueWaitIdle);
LAYER_HOOK(DeviceWaitIdle);

/* hooks_commands.c */
LAYER_HOOK(AllocateCommandBuffers);
LAYER_HOOK(FreeCommandBuffers);
LAYER_HOOK(DestroyCommandPool);
LAYER_HOOK(BeginCommandBuffer);
LAYER_HOOK(ResetCommandBuffer);
LAYER_HOOK(ResetCommandPool);
LAYER_HOOK(CmdBindPipeline);
LAYER_HOOK(CmdPushConstants);
LAYER_HOOK(CmdDispatch);
LAYER_HOOK(CmdDispatchBase);
LAYER_HOOK(CmdDispatchIndirect);
LAYER_HOOK(CmdExecuteCommands);

/* hooks_shaders.c */
LAYER_HOOK(CreateShaderModule);
LAYER_HOOK(DestroyShaderModule);
LAYER_HOOK(CreateComputePipelines);
LAYER_HOOK(CreateGraphicsPipelines);
LAYER_HOOK(CreatePipelineLayout);
LAYER_HOOK(DestroyPipelineLayout);
LAYER_HOOK(CreateRayTracingPipelinesKHR);
LAYER_HOOK(CreateShadersEXT);

/* hooks_sets.c */
LAYER_HOOK(DestroyIndirectExecutionSetEXT);
LAYER_HOOK(UpdateIndirectExecutionSetPipelineEXT);
LAYER_HOOK(UpdateIndirectExecutionSetShaderEXT);

/* hooks_names.c */
LAYER_HOOK(SetDebugUtilsObjectNameEXT);
LAYER_HOOK(CreateAccelerationStructureKHR);
LAYER_HOOK(CreateBuffer);
LAYER_HOOK(DestroyAccelerationStructureKHR);
LAYER_HOOK(DestroyBuffer);
LAYER_HOOK(DestroyImage);
LAYER_HOOK(DestroyPipeline);
LAYER_HOOK(DestroyShaderEXT);
LAYER_HOOK(CmdBeginDebugUtilsLabelEXT);
LAYER_HOOK(CmdEndDebugUtilsLabelEXT);
LAYER_HOOK(CmdInsertDebugUtilsLabelEXT);
LAYER_HOOK(QueueBeginDebugUtilsLabelEXT);
LAYER_HOOK(QueueEndDebugUtilsLabelEXT);
LAYER_HOOK(QueueInsertDebugUtilsLabelEXT);

/* hooks_surfaces.c; the structures are those of the window systems' own headers */
LAYER_HOOK(DestroySurfaceKHR);
VKAPI_ATTR VkResult VKAPI_CALL layer_CreateXcbSurfaceKHR(VkInstance instance,
                                                         const struct VkXcbSurfaceCreateInfoKHR *info,
                                                         const VkAllocationCallbacks *allocator, VkSurfaceKHR *surface);
VKAPI_ATTR VkResult VKAPI_CALL layer_CreateXlibSurfaceKHR(VkInstance instance,
                                                          const struct VkXlibSurfaceCreateInfoKHR *info,
                                                          const VkAllocationCallbacks *allocator,
                                                          VkSurfaceKHR *surface);
VKAPI_ATTR VkResult VKAPI_CALL layer_CreateWaylandSurfaceKHR(VkInstance instance,
                                                             const struct VkWaylandSurfaceCreateInfoKHR *info,
                                                             const VkAllocationCallbacks *allocator,
                                                             VkSurfaceKHR *surface);

#undef LAYER_HOOK

#endif
