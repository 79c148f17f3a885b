/* SPDX-License-Identifier: MIT */
/*
 * How the loader finds the layer's functions. The rules are the loader's (LoaderLayerInterface.md, LLP_LAYER_1..20):
 * nothing here may call down the chain before there is an instance, unknown names go to the next layer, and a function
 * that the next layer does not have is not offered.
 */
#include <string.h>

#include "hooks.h"

/* The only exported symbol. */
__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
   if (!interface || interface->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT)
      return VK_ERROR_INITIALIZATION_FAILED;
   if (interface->loaderLayerInterfaceVersion > CURRENT_LOADER_LAYER_INTERFACE_VERSION)
      interface->loaderLayerInterfaceVersion = CURRENT_LOADER_LAYER_INTERFACE_VERSION;
   if (interface->loaderLayerInterfaceVersion >= 2) {
      interface->pfnGetInstanceProcAddr = layer_GetInstanceProcAddr;
      interface->pfnGetDeviceProcAddr = layer_GetDeviceProcAddr;
      interface->pfnGetPhysicalDeviceProcAddr = NULL; /* none of ours is unknown to the loader */
   }
   return VK_SUCCESS;
}

static const VkLayerProperties self = {
   .layerName = LAYER_NAME,
   .specVersion = VK_API_VERSION_1_4,
   .implementationVersion = 1,
   .description = "hdb: a source-level debugger for compute shaders",
};

static VkResult
enumerate_self(uint32_t *count, VkLayerProperties *properties)
{
   if (!properties) {
      *count = 1;
      return VK_SUCCESS;
   }
   if (*count < 1)
      return VK_INCOMPLETE;
   *count = 1;
   *properties = self;
   return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
EnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *properties)
{
   return enumerate_self(count, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_EnumerateDeviceLayerProperties(VkPhysicalDevice physical_device, uint32_t *count, VkLayerProperties *properties)
{
   return enumerate_self(count, properties);
}

static VkResult
enumerate_extensions(const VkExtensionProperties *own, uint32_t own_count, uint32_t *count,
                     VkExtensionProperties *properties)
{
   if (!properties) {
      *count = own_count;
      return VK_SUCCESS;
   }
   bool complete = *count >= own_count;
   *count = complete ? own_count : *count;
   memcpy(properties, own, *count * sizeof(*properties));
   return complete ? VK_SUCCESS : VK_INCOMPLETE;
}

/* The manifest says the same. */
static const VkExtensionProperties instance_extension = {VK_EXT_LAYER_SETTINGS_EXTENSION_NAME,
                                                         VK_EXT_LAYER_SETTINGS_SPEC_VERSION};

static VKAPI_ATTR VkResult VKAPI_CALL
EnumerateInstanceExtensionProperties(const char *layer_name, uint32_t *count, VkExtensionProperties *properties)
{
   if (!layer_name || strcmp(layer_name, LAYER_NAME) != 0)
      return VK_ERROR_LAYER_NOT_PRESENT;
   return enumerate_extensions(&instance_extension, 1, count, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_EnumerateDeviceExtensionProperties(VkPhysicalDevice physical_device, const char *layer_name, uint32_t *count,
                                         VkExtensionProperties *properties)
{
   struct layer_instance *instance = layer_instance_of(physical_device);
   if (!layer_name)
      return layer_add_device_extensions(instance, physical_device, count, properties);
   if (strcmp(layer_name, LAYER_NAME) != 0)
      return instance->next.EnumerateDeviceExtensionProperties(physical_device, layer_name, count, properties);
   return enumerate_extensions(layer_device_extensions, LAYER_DEVICE_EXTENSIONS, count, properties);
}

static PFN_vkVoidFunction
global_function(const char *name)
{
   if (!strcmp(name, "vkGetInstanceProcAddr"))
      return (PFN_vkVoidFunction)layer_GetInstanceProcAddr;
   if (!strcmp(name, "vkCreateInstance"))
      return (PFN_vkVoidFunction)layer_CreateInstance;
   if (!strcmp(name, "vkEnumerateInstanceLayerProperties"))
      return (PFN_vkVoidFunction)EnumerateInstanceLayerProperties;
   if (!strcmp(name, "vkEnumerateInstanceExtensionProperties"))
      return (PFN_vkVoidFunction)EnumerateInstanceExtensionProperties;
   return NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
layer_GetInstanceProcAddr(VkInstance handle, const char *name)
{
   PFN_vkVoidFunction function = global_function(name);
   if (function)
      return function;
   if (!handle) /* layers above ask so for what they call next, vkCreateDevice first of all */
      return layer_unconditional_hook(name);
   struct layer_instance *instance = layer_instance_of(handle);
   if (!instance)
      return NULL;
   PFN_vkVoidFunction own = layer_own_function(name);
   if (own)
      return own;
   PFN_vkVoidFunction next = instance->get_proc_addr(handle, name);
   PFN_vkVoidFunction hook = next ? layer_instance_hook(instance, name) : NULL;
   return hook ? hook : next;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
layer_GetDeviceProcAddr(VkDevice handle, const char *name)
{
   struct layer_device *device = handle ? layer_device_of(handle) : NULL;
   if (!device)
      return NULL;
   PFN_vkVoidFunction own = layer_own_function(name);
   if (own)
      return own;
   PFN_vkVoidFunction next = device->get_proc_addr(handle, name);
   PFN_vkVoidFunction hook = layer_device_hook(device, name, next);
   return hook ? hook : next;
}
