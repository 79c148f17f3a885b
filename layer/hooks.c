/* SPDX-License-Identifier: MIT */
/*
 * The functions that the layer stands in front of. Each is a few lines; what is not needed for a device is not hooked
 * at all: recording a dispatch on hdb's driver costs nothing here, since the driver keeps the records.
 */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

/* ---- physical devices ---- */

static VKAPI_ATTR VkResult VKAPI_CALL
EnumeratePhysicalDevices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
   return layer_enumerate_devices(layer_instance_of(instance), count, devices);
}

static VKAPI_ATTR VkResult VKAPI_CALL
EnumeratePhysicalDeviceGroups(VkInstance instance, uint32_t *count, VkPhysicalDeviceGroupProperties *groups)
{
   return layer_enumerate_device_groups(layer_instance_of(instance), count, groups);
}

/* ---- queues ---- */

static VKAPI_ATTR void VKAPI_CALL
GetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index, VkQueue *queue)
{
   struct layer_device *device = layer_device_of(handle);
   device->next.GetDeviceQueue(handle, family, index, queue);
   if (!layer_inert)
      layer_queue_add(device, *queue, family, index);
}

static VKAPI_ATTR void VKAPI_CALL
GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2 *info, VkQueue *queue)
{
   struct layer_device *device = layer_device_of(handle);
   device->next.GetDeviceQueue2(handle, info, queue);
   if (!layer_inert)
      layer_queue_add(device, *queue, info->queueFamilyIndex, info->queueIndex);
}

static bool
wants_submissions(const struct layer_device *device)
{
   return !layer_inert && device->core && hdb_device_wants_submissions(device->core);
}

/* The debugger has gone, but what it armed may not be disarmed yet. */
static void
settle(struct layer_device *device, VkCommandBuffer commands)
{
   if (device->pending && !layer_inert)
      layer_submissions_settle(device, commands);
}

static VKAPI_ATTR VkResult VKAPI_CALL
QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
   struct layer_device *device = layer_device_of(queue);
   if (!wants_submissions(device)) {
      for (uint32_t i = 0; device->pending && i < count; i++) {
         for (uint32_t k = 0; k < submits[i].commandBufferCount; k++)
            settle(device, submits[i].pCommandBuffers[k]);
      }
      return device->next.QueueSubmit(queue, count, submits, fence);
   }

   uint32_t total = 0, n = 0;
   for (uint32_t i = 0; i < count; i++)
      total += submits[i].commandBufferCount;
   VkCommandBuffer *commands = calloc(total ? total : 1, sizeof(*commands));
   for (uint32_t i = 0; commands && i < count; i++) {
      for (uint32_t k = 0; k < submits[i].commandBufferCount; k++)
         commands[n++] = submits[i].pCommandBuffers[k];
   }
   struct layer_submission *submission = layer_submission_begin(device, queue, n, commands);
   free(commands);
   VkResult result = device->next.QueueSubmit(queue, count, submits, fence);
   if (submission)
      layer_submission_end(submission, result);
   return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits, VkFence fence)
{
   struct layer_device *device = layer_device_of(queue);
   if (!wants_submissions(device)) {
      for (uint32_t i = 0; device->pending && i < count; i++) {
         for (uint32_t k = 0; k < submits[i].commandBufferInfoCount; k++)
            settle(device, submits[i].pCommandBufferInfos[k].commandBuffer);
      }
      return device->next.QueueSubmit2(queue, count, submits, fence);
   }

   uint32_t total = 0, n = 0;
   for (uint32_t i = 0; i < count; i++)
      total += submits[i].commandBufferInfoCount;
   VkCommandBuffer *commands = calloc(total ? total : 1, sizeof(*commands));
   for (uint32_t i = 0; commands && i < count; i++) {
      for (uint32_t k = 0; k < submits[i].commandBufferInfoCount; k++)
         commands[n++] = submits[i].pCommandBufferInfos[k].commandBuffer;
   }
   struct layer_submission *submission = layer_submission_begin(device, queue, n, commands);
   free(commands);
   VkResult result = device->next.QueueSubmit2(queue, count, submits, fence);
   if (submission)
      layer_submission_end(submission, result);
   return result;
}

/* ---- command buffers ---- */

static VKAPI_ATTR VkResult VKAPI_CALL
AllocateCommandBuffers(VkDevice handle, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *commands)
{
   struct layer_device *device = layer_device_of(handle);
   VkResult result = device->next.AllocateCommandBuffers(handle, info, commands);
   for (uint32_t i = 0; result == VK_SUCCESS && !layer_inert && i < info->commandBufferCount; i++)
      layer_command_buffer_add(device, info->commandPool, commands[i]);
   return result;
}

static VKAPI_ATTR void VKAPI_CALL
FreeCommandBuffers(VkDevice handle, VkCommandPool pool, uint32_t count, const VkCommandBuffer *commands)
{
   struct layer_device *device = layer_device_of(handle);
   for (uint32_t i = 0; !layer_inert && i < count; i++) {
      layer_submissions_settle(device, commands[i]);
      layer_command_buffer_remove(device, commands[i]);
   }
   device->next.FreeCommandBuffers(handle, pool, count, commands);
}

static VKAPI_ATTR void VKAPI_CALL
DestroyCommandPool(VkDevice handle, VkCommandPool pool, const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   if (pool && !layer_inert) {
      layer_submissions_settle_pool(device, pool);
      layer_command_pool_remove(device, pool);
   }
   device->next.DestroyCommandPool(handle, pool, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL
BeginCommandBuffer(VkCommandBuffer commands, const VkCommandBufferBeginInfo *info)
{
   struct layer_device *device = layer_device_of(commands);
   struct layer_command_buffer *notes = layer_inert ? NULL : layer_command_buffer_find(device, commands);
   if (!layer_inert)
      layer_submissions_settle(device, commands);
   if (notes)
      layer_command_buffer_reset(notes);
   return device->next.BeginCommandBuffer(commands, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL
ResetCommandBuffer(VkCommandBuffer commands, VkCommandBufferResetFlags flags)
{
   struct layer_device *device = layer_device_of(commands);
   if (!layer_inert)
      layer_submissions_settle(device, commands);
   return device->next.ResetCommandBuffer(commands, flags);
}

static VKAPI_ATTR VkResult VKAPI_CALL
ResetCommandPool(VkDevice handle, VkCommandPool pool, VkCommandPoolResetFlags flags)
{
   struct layer_device *device = layer_device_of(handle);
   if (!layer_inert)
      layer_submissions_settle_pool(device, pool);
   return device->next.ResetCommandPool(handle, pool, flags);
}

static VKAPI_ATTR void VKAPI_CALL
CmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline)
{
   struct layer_device *device = layer_device_of(commands);
   if (point == VK_PIPELINE_BIND_POINT_COMPUTE && !layer_inert)
      layer_recorder_bind(device, commands, pipeline);
   device->next.CmdBindPipeline(commands, point, pipeline);
}

static void
record_dispatch(struct layer_device *device, VkCommandBuffer commands, const uint32_t base[3], const uint32_t grid[3],
                uint32_t flags)
{
   if (!layer_inert)
      layer_recorder_dispatch(device, commands, base, grid, flags);
}

static VKAPI_ATTR void VKAPI_CALL
CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)
{
   struct layer_device *device = layer_device_of(commands);
   record_dispatch(device, commands, (uint32_t[3]){0}, (uint32_t[3]){x, y, z}, 0);
   device->next.CmdDispatch(commands, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL
CmdDispatchBase(VkCommandBuffer commands, uint32_t base_x, uint32_t base_y, uint32_t base_z, uint32_t x, uint32_t y,
                uint32_t z)
{
   struct layer_device *device = layer_device_of(commands);
   record_dispatch(device, commands, (uint32_t[3]){base_x, base_y, base_z}, (uint32_t[3]){x, y, z}, 0);
   device->next.CmdDispatchBase(commands, base_x, base_y, base_z, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL
CmdDispatchIndirect(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset)
{
   struct layer_device *device = layer_device_of(commands);
   record_dispatch(device, commands, (uint32_t[3]){0}, (uint32_t[3]){0}, HDB_DISPATCH_INDIRECT);
   device->next.CmdDispatchIndirect(commands, buffer, offset);
}

static VKAPI_ATTR void VKAPI_CALL
CmdExecuteCommands(VkCommandBuffer commands, uint32_t count, const VkCommandBuffer *secondaries)
{
   struct layer_device *device = layer_device_of(commands);
   if (!layer_inert)
      layer_recorder_execute(device, commands, count, secondaries);
   device->next.CmdExecuteCommands(commands, count, secondaries);
}

/* ---- shader code ---- */

/* What can't be SPIR-V is refused here: drivers trust it, as Vulkan lets them, and crash. */

static VKAPI_ATTR VkResult VKAPI_CALL
CreateShaderModule(VkDevice handle, const VkShaderModuleCreateInfo *info, const VkAllocationCallbacks *allocator,
                   VkShaderModule *module)
{
   if (layer_spirv_check(info->pCode, info->codeSize, "vkCreateShaderModule"))
      return layer_device_of(handle)->next.CreateShaderModule(handle, info, allocator, module);
   *module = VK_NULL_HANDLE;
   return VK_ERROR_INVALID_SHADER_NV;
}

static VkResult
refuse_pipelines(uint32_t count, VkPipeline *pipelines)
{
   memset(pipelines, 0, count * sizeof(*pipelines));
   return VK_ERROR_INVALID_SHADER_NV;
}

static VKAPI_ATTR VkResult VKAPI_CALL
CreateComputePipelines(VkDevice handle, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo *infos,
                       const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
   bool good = true;
   for (uint32_t i = 0; i < count; i++)
      good &= layer_spirv_check_stages(&infos[i].stage, 1, "vkCreateComputePipelines");
   if (!good)
      return refuse_pipelines(count, pipelines);
   return layer_device_of(handle)->next.CreateComputePipelines(handle, cache, count, infos, allocator, pipelines);
}

/* A part of a pipeline without shaders leaves pStages to chance. */
static uint32_t
count_stages(const VkGraphicsPipelineCreateInfo *info)
{
   const VkGraphicsPipelineLibraryFlagsEXT with_shaders =
      VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
      VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
   for (const VkBaseInStructure *next = info->pNext; next; next = next->pNext) {
      if (next->sType == VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT &&
          !(((const VkGraphicsPipelineLibraryCreateInfoEXT *)(const void *)next)->flags & with_shaders))
         return 0;
   }
   return info->stageCount;
}

static VKAPI_ATTR VkResult VKAPI_CALL
CreateGraphicsPipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                        const VkGraphicsPipelineCreateInfo *infos, const VkAllocationCallbacks *allocator,
                        VkPipeline *pipelines)
{
   bool good = true;
   for (uint32_t i = 0; i < count; i++)
      good &= layer_spirv_check_stages(infos[i].pStages, count_stages(&infos[i]), "vkCreateGraphicsPipelines");
   if (!good)
      return refuse_pipelines(count, pipelines);
   return layer_device_of(handle)->next.CreateGraphicsPipelines(handle, cache, count, infos, allocator, pipelines);
}

static VKAPI_ATTR VkResult VKAPI_CALL
CreateRayTracingPipelinesKHR(VkDevice handle, VkDeferredOperationKHR operation, VkPipelineCache cache, uint32_t count,
                             const VkRayTracingPipelineCreateInfoKHR *infos, const VkAllocationCallbacks *allocator,
                             VkPipeline *pipelines)
{
   bool good = true;
   for (uint32_t i = 0; i < count; i++)
      good &= layer_spirv_check_stages(infos[i].pStages, infos[i].stageCount, "vkCreateRayTracingPipelinesKHR");
   if (!good)
      return refuse_pipelines(count, pipelines);
   return layer_device_of(handle)->next.CreateRayTracingPipelinesKHR(handle, operation, cache, count, infos, allocator,
                                                                     pipelines);
}

static VKAPI_ATTR VkResult VKAPI_CALL
CreateShadersEXT(VkDevice handle, uint32_t count, const VkShaderCreateInfoEXT *infos,
                 const VkAllocationCallbacks *allocator, VkShaderEXT *shaders)
{
   bool good = true;
   for (uint32_t i = 0; i < count; i++) {
      if (infos[i].codeType == VK_SHADER_CODE_TYPE_SPIRV_EXT)
         good &= layer_spirv_check(infos[i].pCode, infos[i].codeSize, "vkCreateShadersEXT");
   }
   if (good)
      return layer_device_of(handle)->next.CreateShadersEXT(handle, count, infos, allocator, shaders);
   memset(shaders, 0, count * sizeof(*shaders));
   return VK_ERROR_INITIALIZATION_FAILED;
}

/* ---- names and labels ---- */

static VKAPI_ATTR VkResult VKAPI_CALL
SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT *info)
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

static VKAPI_ATTR void VKAPI_CALL
DestroyPipeline(VkDevice handle, VkPipeline pipeline, const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   forget_name(device, (uint64_t)pipeline);
   device->next.DestroyPipeline(handle, pipeline, allocator);
}

static VKAPI_ATTR void VKAPI_CALL
DestroyShaderEXT(VkDevice handle, VkShaderEXT shader, const VkAllocationCallbacks *allocator)
{
   struct layer_device *device = layer_device_of(handle);
   forget_name(device, (uint64_t)shader);
   device->next.DestroyShaderEXT(handle, shader, allocator);
}

static VKAPI_ATTR void VKAPI_CALL
CmdBeginDebugUtilsLabelEXT(VkCommandBuffer commands, const VkDebugUtilsLabelEXT *label)
{
   struct layer_device *device = layer_device_of(commands);
   if (!layer_inert)
      layer_label_begin(device, commands, label->pLabelName);
   device->next.CmdBeginDebugUtilsLabelEXT(commands, label);
}

static VKAPI_ATTR void VKAPI_CALL
CmdEndDebugUtilsLabelEXT(VkCommandBuffer commands)
{
   struct layer_device *device = layer_device_of(commands);
   if (!layer_inert)
      layer_label_end(device, commands);
   device->next.CmdEndDebugUtilsLabelEXT(commands);
}

static VKAPI_ATTR void VKAPI_CALL
QueueBeginDebugUtilsLabelEXT(VkQueue handle, const VkDebugUtilsLabelEXT *label)
{
   struct layer_device *device = layer_device_of(handle);
   struct layer_queue *queue = layer_inert ? NULL : layer_queue_find(device, handle);
   if (queue)
      layer_queue_begin_label(queue, label->pLabelName);
   device->next.QueueBeginDebugUtilsLabelEXT(handle, label);
}

static VKAPI_ATTR void VKAPI_CALL
QueueEndDebugUtilsLabelEXT(VkQueue handle)
{
   struct layer_device *device = layer_device_of(handle);
   struct layer_queue *queue = layer_inert ? NULL : layer_queue_find(device, handle);
   if (queue)
      layer_queue_end_label(queue);
   device->next.QueueEndDebugUtilsLabelEXT(handle);
}

/* ---- the table ---- */

enum hook_kind {
   INSTANCE,
   ALWAYS,
   FOR_NAMES,    /* with VK_EXT_debug_utils */
   FOR_RECORDING /* no driver to ask for records */
};

/* clang-format off */
#define HOOK(kind, name) {kind, "vk" #name, (PFN_vkVoidFunction)name}
#define HOOK_AS(kind, alias, name) {kind, "vk" #alias, (PFN_vkVoidFunction)name}
/* clang-format on */

static const struct hook {
   enum hook_kind kind;
   const char *name;
   PFN_vkVoidFunction function;
} hooks[] = {
   HOOK_AS(INSTANCE, CreateDevice, layer_CreateDevice),
   HOOK_AS(INSTANCE, DestroyInstance, layer_DestroyInstance),
   HOOK_AS(INSTANCE, EnumerateDeviceExtensionProperties, layer_EnumerateDeviceExtensionProperties),
   HOOK_AS(INSTANCE, EnumerateDeviceLayerProperties, layer_EnumerateDeviceLayerProperties),
   HOOK(INSTANCE, EnumeratePhysicalDevices),
   HOOK(INSTANCE, EnumeratePhysicalDeviceGroups),
   HOOK_AS(INSTANCE, EnumeratePhysicalDeviceGroupsKHR, EnumeratePhysicalDeviceGroups),

   HOOK_AS(ALWAYS, GetDeviceProcAddr, layer_GetDeviceProcAddr),
   HOOK_AS(ALWAYS, DestroyDevice, layer_DestroyDevice),
   HOOK(ALWAYS, GetDeviceQueue),
   HOOK(ALWAYS, GetDeviceQueue2),
   HOOK(ALWAYS, QueueSubmit),
   HOOK(ALWAYS, QueueSubmit2),
   HOOK_AS(ALWAYS, QueueSubmit2KHR, QueueSubmit2),

   HOOK(FOR_NAMES, SetDebugUtilsObjectNameEXT),
   HOOK(FOR_NAMES, CmdBeginDebugUtilsLabelEXT),
   HOOK(FOR_NAMES, CmdEndDebugUtilsLabelEXT),
   HOOK(FOR_NAMES, QueueBeginDebugUtilsLabelEXT),
   HOOK(FOR_NAMES, QueueEndDebugUtilsLabelEXT),
   HOOK(FOR_NAMES, DestroyPipeline),
   HOOK(FOR_NAMES, DestroyShaderEXT),

   HOOK(ALWAYS, CreateShaderModule),
   HOOK(ALWAYS, CreateComputePipelines),
   HOOK(ALWAYS, CreateGraphicsPipelines),
   HOOK(ALWAYS, CreateRayTracingPipelinesKHR),
   HOOK(ALWAYS, CreateShadersEXT),

   HOOK(ALWAYS, AllocateCommandBuffers),
   HOOK(ALWAYS, FreeCommandBuffers),
   HOOK(ALWAYS, DestroyCommandPool),
   HOOK(ALWAYS, BeginCommandBuffer),
   HOOK(ALWAYS, ResetCommandBuffer),
   HOOK(ALWAYS, ResetCommandPool),

   HOOK(FOR_RECORDING, CmdBindPipeline),
   HOOK(FOR_RECORDING, CmdDispatch),
   HOOK(FOR_RECORDING, CmdDispatchBase),
   HOOK_AS(FOR_RECORDING, CmdDispatchBaseKHR, CmdDispatchBase),
   HOOK(FOR_RECORDING, CmdDispatchIndirect),
   HOOK(FOR_RECORDING, CmdExecuteCommands),
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
   case FOR_NAMES:
      return device->instance->debug_utils;
   case FOR_RECORDING:
      return !device->driver;
   }
   return false;
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
   case FOR_NAMES: /* the loader asks for debug-utils functions here and not at the device */
      return instance->debug_utils ? hook->function : NULL;
   case FOR_RECORDING: /* a matter of the device; the loader's own pointers lead to vkGetDeviceProcAddr */
      return NULL;
   }
   return NULL;
}

PFN_vkVoidFunction
layer_device_hook(const struct layer_device *device, const char *name)
{
   const struct hook *hook = find_hook(name);
   return hook && applies(hook, device) ? hook->function : NULL;
}
