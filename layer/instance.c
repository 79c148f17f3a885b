/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "hooks.h"

static struct layer_map instances = LAYER_MAP_INITIALIZER;

struct layer_instance *
layer_instance_of(const void *handle)
{
   return layer_map_find(&instances, *(void *const *)handle);
}

static VkLayerInstanceLink *
take_link(const VkInstanceCreateInfo *info)
{
   for (const VkLayerInstanceCreateInfo *next = info->pNext; next; next = next->pNext) {
      if (next->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && next->function == VK_LAYER_LINK_INFO) {
         VkLayerInstanceLink *link = next->u.pLayerInfo;
         ((VkLayerInstanceCreateInfo *)next)->u.pLayerInfo = link->pNext; /* the next layer finds its own link */
         return link;
      }
   }
   return NULL;
}

static bool
is_enabled(const VkInstanceCreateInfo *info, const char *extension)
{
   for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
      if (!strcmp(info->ppEnabledExtensionNames[i], extension))
         return true;
   }
   return false;
}

static void
load_functions(struct layer_instance *instance)
{
#define LOAD(name) instance->next.name = (PFN_vk##name)instance->get_proc_addr(instance->handle, "vk" #name);
   LAYER_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
#define LOAD(name) instance->next.name = instance->get_proc_addr(instance->handle, "vk" #name);
   LOAD(CreateXcbSurfaceKHR)
   LOAD(CreateXlibSurfaceKHR)
   LOAD(CreateWaylandSurfaceKHR)
#undef LOAD
   /* The same functions under the names that Vulkan 1.0 knows them by. */
   if (!instance->next.EnumeratePhysicalDeviceGroups)
      instance->next.EnumeratePhysicalDeviceGroups = (PFN_vkEnumeratePhysicalDeviceGroups)instance->get_proc_addr(
         instance->handle, "vkEnumeratePhysicalDeviceGroupsKHR");
   if (!instance->next.GetPhysicalDeviceToolProperties)
      instance->next.GetPhysicalDeviceToolProperties = (PFN_vkGetPhysicalDeviceToolProperties)instance->get_proc_addr(
         instance->handle, "vkGetPhysicalDeviceToolPropertiesEXT");
   if (!instance->next.GetPhysicalDeviceFeatures2)
      instance->next.GetPhysicalDeviceFeatures2 =
         (PFN_vkGetPhysicalDeviceFeatures2)instance->get_proc_addr(instance->handle, "vkGetPhysicalDeviceFeatures2KHR");
   if (!instance->next.GetPhysicalDeviceProperties2)
      instance->next.GetPhysicalDeviceProperties2 = (PFN_vkGetPhysicalDeviceProperties2)instance->get_proc_addr(
         instance->handle, "vkGetPhysicalDeviceProperties2KHR");
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *handle)
{
   VkLayerInstanceLink *link = take_link(info);
   if (!link)
      return VK_ERROR_INITIALIZATION_FAILED;
   PFN_vkGetInstanceProcAddr get_proc_addr = link->pfnNextGetInstanceProcAddr;
   PFN_vkCreateInstance create = (PFN_vkCreateInstance)get_proc_addr(NULL, "vkCreateInstance");
   struct layer_instance *instance = calloc(1, sizeof(*instance));
   if (!create || !instance) {
      free(instance);
      return create ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INITIALIZATION_FAILED;
   }
   layer_process_init(info);

   VkResult result = create(info, allocator, handle);
   if (result != VK_SUCCESS) {
      free(instance);
      return result;
   }
   instance->handle = *handle;
   instance->get_proc_addr = get_proc_addr;
   instance->debug_utils = is_enabled(info, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
   load_functions(instance);
   layer_messengers_init(instance);
   if (layer_map_add(&instances, *(void **)*handle, instance) < 0) {
      instance->next.DestroyInstance(*handle, allocator);
      free(instance);
      *handle = VK_NULL_HANDLE;
      return VK_ERROR_OUT_OF_HOST_MEMORY;
   }
   layer_callbacks_add_instance(instance, info);
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroyInstance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
   if (!handle)
      return;
   struct layer_instance *instance = layer_instance_of(handle);
   layer_map_remove(&instances, *(void **)handle);
   layer_callbacks_remove_instance(instance);
   instance->next.DestroyInstance(handle, allocator);
   layer_messengers_finish(instance);
   free(instance);
}
