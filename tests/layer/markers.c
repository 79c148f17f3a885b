/* SPDX-License-Identifier: MIT */
/* What the layer brings itself: VK_EXT_debug_marker, whose names and labels arrive, and VK_EXT_tooling_info. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "affine.h"
#include "hdb/hdb.h"

#define N 128
#define MAX_EXTENSIONS 512

static int failures;

#define CHECK(condition)                                              \
   do {                                                               \
      if (!(condition)) {                                             \
         fprintf(stderr, "markers.c:%d: %s\n", __LINE__, #condition); \
         failures++;                                                  \
      }                                                               \
   } while (0)

/* In front of the loader's, for the samples' own code: the device has the extension. */
__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkCreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
               VkDevice *device)
{
   PFN_vkCreateDevice create = (PFN_vkCreateDevice)dlsym(RTLD_NEXT, "vkCreateDevice");
   static const char *const names[] = {VK_EXT_DEBUG_MARKER_EXTENSION_NAME, VK_EXT_TOOLING_INFO_EXTENSION_NAME};
   VkDeviceCreateInfo extended = *info;
   extended.enabledExtensionCount = 2;
   extended.ppEnabledExtensionNames = names;
   return create(physical_device, &extended, allocator, device);
}

/* ---- extensions and tools ---- */

static VkExtensionProperties extensions[MAX_EXTENSIONS];

static uint32_t
count_named(uint32_t count, const char *name)
{
   uint32_t found = 0;
   for (uint32_t i = 0; i < count; i++)
      found += strcmp(extensions[i].extensionName, name) == 0;
   return found;
}

static void
check_extensions(VkPhysicalDevice device)
{
   uint32_t all = 0, count = MAX_EXTENSIONS;
   CHECK(vkEnumerateDeviceExtensionProperties(device, NULL, &all, NULL) == VK_SUCCESS);
   CHECK(vkEnumerateDeviceExtensionProperties(device, NULL, &count, extensions) == VK_SUCCESS && count == all);
   CHECK(count_named(count, VK_EXT_DEBUG_MARKER_EXTENSION_NAME) == 1);
   CHECK(count_named(count, VK_EXT_FRAME_BOUNDARY_EXTENSION_NAME) == 1);
   CHECK(count_named(count, VK_EXT_TOOLING_INFO_EXTENSION_NAME) == 1);
   count = all - 1;
   CHECK(vkEnumerateDeviceExtensionProperties(device, NULL, &count, extensions) == VK_INCOMPLETE && count == all - 1);
   count = MAX_EXTENSIONS;
   CHECK(vkEnumerateDeviceExtensionProperties(device, "VK_LAYER_hdb", &count, extensions) == VK_SUCCESS && count == 3);
}

static void
check_tools(const struct sample *sample, const char *name)
{
   PFN_vkGetPhysicalDeviceToolProperties get =
      (PFN_vkGetPhysicalDeviceToolProperties)vkGetInstanceProcAddr(sample->instance, name);
   VkPhysicalDeviceToolProperties tools[8];
   uint32_t all = 0, count = 8, found = 0, none = 0;
   for (uint32_t i = 0; i < 8; i++)
      tools[i] = (VkPhysicalDeviceToolProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES};
   CHECK(get && get(sample->physical_device, &all, NULL) == VK_SUCCESS && all >= 1);
   CHECK(get(sample->physical_device, &count, tools) == VK_SUCCESS && count == all);
   for (uint32_t i = 0; i < count; i++)
      found += strcmp(tools[i].name, "hdb") == 0 && strcmp(tools[i].layer, "VK_LAYER_hdb") == 0;
   CHECK(found == 1);
   CHECK(get(sample->physical_device, &none, tools) == VK_INCOMPLETE && none == 0);
}

/* ---- names and labels ---- */

static uint32_t offered;

static enum hdb_dispatch_answer
check_names(const struct hdb_dispatch_info *dispatch, void *user)
{
   const struct sample *sample = user;
   offered++;
   CHECK(dispatch->pipeline_name && strcmp(dispatch->pipeline_name, "marked pipeline") == 0);
   CHECK(strcmp(dispatch->queue_name, "marked queue") == 0);
   CHECK(dispatch->queue == sample->queue);
   CHECK(dispatch->label_count == 2 && strcmp(dispatch->labels[0], "outer") == 0 &&
         strcmp(dispatch->labels[1], "inner") == 0);
   return HDB_DISPATCH_PASS;
}

static void
name(const struct sample *sample, VkDebugReportObjectTypeEXT type, uint64_t object, const char *text)
{
   PFN_vkDebugMarkerSetObjectNameEXT set =
      (PFN_vkDebugMarkerSetObjectNameEXT)vkGetDeviceProcAddr(sample->device, "vkDebugMarkerSetObjectNameEXT");
   const VkDebugMarkerObjectNameInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_NAME_INFO_EXT,
      .objectType = type,
      .object = object,
      .pObjectName = text,
   };
   CHECK(set && set(sample->device, &info) == VK_SUCCESS);
}

static void
dispatch(const struct sample *sample, const struct affine *affine)
{
   PFN_vkCmdDebugMarkerBeginEXT begin =
      (PFN_vkCmdDebugMarkerBeginEXT)vkGetDeviceProcAddr(sample->device, "vkCmdDebugMarkerBeginEXT");
   PFN_vkCmdDebugMarkerEndEXT end =
      (PFN_vkCmdDebugMarkerEndEXT)vkGetDeviceProcAddr(sample->device, "vkCmdDebugMarkerEndEXT");
   PFN_vkCmdDebugMarkerInsertEXT insert =
      (PFN_vkCmdDebugMarkerInsertEXT)vkGetDeviceProcAddr(sample->device, "vkCmdDebugMarkerInsertEXT");
   VkDebugMarkerMarkerInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_MARKER_INFO_EXT, .pMarkerName = "outer"};
   if (!begin || !end || !insert)
      sample_fail(sample, "%s not found", "vkCmdDebugMarkerBeginEXT");
   VkCommandBuffer commands = sample_begin(sample);
   begin(commands, &info);
   info.pMarkerName = "here";
   insert(commands, &info);
   affine_record(affine, commands, &(struct affine_step){0, N, 1, 7}, "inner"); /* by VK_EXT_debug_utils */
   end(commands);
   sample_submit(sample, commands);
}

int
main(int argc, char **argv)
{
   struct sample sample;
   struct affine affine;
   sample_init(&sample, "markers", N, argc, argv);
   check_extensions(sample.physical_device);
   check_tools(&sample, "vkGetPhysicalDeviceToolProperties");
   check_tools(&sample, "vkGetPhysicalDeviceToolPropertiesEXT");

   affine_init(&affine, &sample, N);
   PFN_hdb_messenger_create create =
      (PFN_hdb_messenger_create)(void *)vkGetInstanceProcAddr(sample.instance, "hdb_messenger_create");
   const struct hdb_messenger_create_info info = {
      .sType = HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO,
      .version = HDB_CALLBACKS_VERSION,
      .severities = HDB_SEVERITY_ALL,
      .reports = HDB_REPORT_ALL,
      .dispatch = check_names,
      .user = &sample,
   };
   struct hdb_messenger *messenger;
   CHECK(create && create(sample.device, &info, &messenger) == 0);
   name(&sample, VK_DEBUG_REPORT_OBJECT_TYPE_PIPELINE_EXT, (uint64_t)affine.kernel.pipeline, "marked pipeline");
   name(&sample, VK_DEBUG_REPORT_OBJECT_TYPE_QUEUE_EXT, (uint64_t)(uintptr_t)sample.queue, "marked queue");
   dispatch(&sample, &affine);
   CHECK(offered == 1);
   uint32_t right = affine_count(&affine, 7);
   affine_finish(&affine);
   sample_finish(&sample); /* and the messenger with the device */
   return failures ? 1 : sample_report(&sample, right, N);
}
