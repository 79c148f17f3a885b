/* SPDX-License-Identifier: MIT */
#include "instance.h"

#include <string.h>
#include <unistd.h>

static VKAPI_ATTR VkBool32 VKAPI_CALL
complain(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
         const VkDebugUtilsMessengerCallbackDataEXT *data, void *complaints)
{
   fprintf(stderr, "%s\n", data->pMessage);
   ++*(unsigned *)complaints;
   return VK_FALSE;
}

static bool
has_layer(const char *name)
{
   VkLayerProperties layers[64];
   uint32_t count = 64;
   vkEnumerateInstanceLayerProperties(&count, layers);
   bool found = false;
   for (uint32_t i = 0; i < count; i++)
      found |= !strcmp(layers[i].layerName, name);
   return found;
}

/* The loader reads manifests whenever an instance is created: those of a process may have different drivers. */
static void
write_manifest(const char *driver, char *manifest)
{
   FILE *file = fdopen(mkstemps(manifest, strlen(".json")), "w");
   CHECK(file);
   fprintf(file,
           "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\", \"api_version\": \"1.4.305\"}}\n",
           driver);
   CHECK(!fclose(file));
   setenv("VK_DRIVER_FILES", manifest, 1);
   unsetenv("VK_ICD_FILENAMES");
   unsetenv("VK_INSTANCE_LAYERS");
}

static void
create_instance(struct gpu *gpu, const struct gpu_options *options)
{
   static const char *const layer = "VK_LAYER_KHRONOS_validation";
   static const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
   const VkDebugUtilsMessengerCreateInfoEXT messenger = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
      .pfnUserCallback = complain,
      .pUserData = options->complaints,
   };
   const VkApplicationInfo application = {
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
      .pApplicationName = "tests",
      .apiVersion = VK_API_VERSION_1_3,
   };
   const VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pNext = options->complaints ? &messenger : NULL, /* for the instance itself */
      .pApplicationInfo = &application,
      .enabledLayerCount = options->complaints && has_layer(layer),
      .ppEnabledLayerNames = &layer,
      .enabledExtensionCount = options->complaints || options->named,
      .ppEnabledExtensionNames = &extension,
   };
   char manifest[] = "/tmp/hdb-test-XXXXXX.json";
   if (options->driver)
      write_manifest(options->driver, manifest);
   CALL(vkCreateInstance(&info, NULL, &gpu->instance));
   if (options->driver)
      unlink(manifest);
   if (options->complaints) {
      INSTANCE_FUNCTION(gpu, CreateDebugUtilsMessengerEXT);
      CALL(CreateDebugUtilsMessengerEXT(gpu->instance, &messenger, NULL, &gpu->messenger));
   }
}

void
instance_open(struct gpu *gpu, const struct gpu_options *options)
{
   create_instance(gpu, options);
   uint32_t count = 1;
   const VkResult result = vkEnumeratePhysicalDevices(gpu->instance, &count, &gpu->physical_device);
   CHECK((result == VK_SUCCESS || result == VK_INCOMPLETE) && count == 1);
}

void
instance_close(struct gpu *gpu)
{
   if (gpu->messenger) {
      INSTANCE_FUNCTION(gpu, DestroyDebugUtilsMessengerEXT);
      DestroyDebugUtilsMessengerEXT(gpu->instance, gpu->messenger, NULL);
   }
   vkDestroyInstance(gpu->instance, NULL);
}
