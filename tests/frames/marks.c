/* SPDX-License-Identifier: MIT */
/*
 * Four frames of two submissions with a dispatch each: the first of F+1 groups, the second of 10 * (F+1), labelled
 * "frame" and "first" or "second". The first argument says how they end:
 *
 *    label       a marker in the second command buffer
 *    executed    a marker in a secondary command buffer that the second one executes
 *    marker      a marker in the second command buffer, by VK_EXT_debug_marker
 *    queue       a marker on the queue
 *    boundary    VK_EXT_frame_boundary, at the second submission
 *    nothing     not at all
 */
#include <stdio.h>
#include <string.h>

#include "common.h"

#include "empty.comp.h"

#define FRAMES 4

static const VkDebugUtilsLabelEXT marker = {
   .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
   .pLabelName = "vr-marker,frame_end,type,application",
};

static PFN_vkVoidFunction
function(const struct sample *sample, const char *name)
{
   PFN_vkVoidFunction found = vkGetInstanceProcAddr(sample->instance, name);
   if (!found)
      sample_fail(sample, "the instance has no %s", name);
   return found;
}

static void
check_boundaries(const struct sample *sample)
{
   VkPhysicalDeviceFrameBoundaryFeaturesEXT frames = {.sType =
                                                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAME_BOUNDARY_FEATURES_EXT};
   VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &frames};
   vkGetPhysicalDeviceFeatures2(sample->physical_device, &features);
   if (!frames.frameBoundary)
      sample_fail(sample, "VK_EXT_frame_boundary without its feature%s", "");
}

static void
submit(const struct sample *sample, VkCommandBuffer commands, const void *chained)
{
   VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .pNext = chained,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
   };
   SAMPLE_CALL(sample, vkEndCommandBuffer, commands);
   SAMPLE_CALL(sample, vkQueueSubmit, sample->queue, 1, &info, VK_NULL_HANDLE);
   SAMPLE_CALL(sample, vkQueueWaitIdle, sample->queue);
   vkFreeCommandBuffers(sample->device, sample->command_pool, 1, &commands);
}

static VkCommandBuffer
record(const struct sample *sample, const struct sample_kernel *kernel, uint32_t groups, const char *label)
{
   VkCommandBuffer commands = sample_begin(sample);
   sample_begin_label(sample, commands, "frame");
   sample_dispatch(sample, commands, kernel, VK_NULL_HANDLE, NULL, groups, label);
   sample_end_label(sample, commands);
   return commands;
}

/* ---- ways to mark the end in a command buffer ---- */

static void
insert_label(const struct sample *sample, VkCommandBuffer commands)
{
   ((PFN_vkCmdInsertDebugUtilsLabelEXT)function(sample, "vkCmdInsertDebugUtilsLabelEXT"))(commands, &marker);
}

static void
insert_debug_marker(const struct sample *sample, VkCommandBuffer commands)
{
   const VkDebugMarkerMarkerInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_MARKER_INFO_EXT,
                                            .pMarkerName = marker.pLabelName};
   PFN_vkCmdDebugMarkerInsertEXT insert =
      (PFN_vkCmdDebugMarkerInsertEXT)vkGetDeviceProcAddr(sample->device, "vkCmdDebugMarkerInsertEXT");
   if (!insert)
      sample_fail(sample, "the device has no %s", "vkCmdDebugMarkerInsertEXT");
   insert(commands, &info);
}

static void
execute_marked(const struct sample *sample, VkCommandBuffer commands)
{
   const VkCommandBufferAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = sample->command_pool, /* with which it goes */
      .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
      .commandBufferCount = 1,
   };
   const VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .pInheritanceInfo = &inheritance};
   VkCommandBuffer secondary;
   SAMPLE_CALL(sample, vkAllocateCommandBuffers, sample->device, &info, &secondary);
   SAMPLE_CALL(sample, vkBeginCommandBuffer, secondary, &begin);
   insert_label(sample, secondary);
   SAMPLE_CALL(sample, vkEndCommandBuffer, secondary);
   vkCmdExecuteCommands(commands, 1, &secondary);
}

static const struct {
   const char *how;
   void (*mark)(const struct sample *sample, VkCommandBuffer commands);
} ways[] = {{"label", insert_label}, {"marker", insert_debug_marker}, {"executed", execute_marked}};

int
main(int argc, char **argv)
{
   const char *end = argc > 1 ? argv[1] : "nothing";
   bool queue = !strcmp(end, "queue"), boundary = !strcmp(end, "boundary"), marks = !strcmp(end, "marker");
   const char *const extensions[] = {boundary ? VK_EXT_FRAME_BOUNDARY_EXTENSION_NAME
                                     : marks  ? VK_EXT_DEBUG_MARKER_EXTENSION_NAME
                                              : NULL,
                                     NULL};
   struct sample sample;
   struct sample_kernel kernel;
   sample_init_with(&sample, "marks", FRAMES, NULL, extensions, argc > 1 ? argc - 1 : argc, argc > 1 ? argv + 1 : argv);
   if (boundary)
      check_boundaries(&sample);
   sample_kernel_init(
      &kernel, &sample,
      &(struct sample_kernel_info){.name = "mark", .spirv = empty_spirv, .spirv_size = sizeof(empty_spirv)});
   PFN_vkQueueInsertDebugUtilsLabelEXT insert_on_queue =
      (PFN_vkQueueInsertDebugUtilsLabelEXT)function(&sample, "vkQueueInsertDebugUtilsLabelEXT");
   for (uint32_t frame = 0; frame < FRAMES; frame++) {
      VkFrameBoundaryEXT frame_end = {
         .sType = VK_STRUCTURE_TYPE_FRAME_BOUNDARY_EXT,
         .flags = VK_FRAME_BOUNDARY_FRAME_END_BIT_EXT,
         .frameID = frame,
      };
      submit(&sample, record(&sample, &kernel, frame + 1, "first"), NULL);
      VkCommandBuffer second = record(&sample, &kernel, 10 * (frame + 1), "second");
      for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
         if (!strcmp(end, ways[i].how))
            ways[i].mark(&sample, second);
      }
      submit(&sample, second, boundary ? &frame_end : NULL);
      if (queue)
         insert_on_queue(sample.queue, &marker);
   }
   sample_kernel_finish(&kernel, &sample);
   sample_finish(&sample);
   return sample_report(&sample, FRAMES, FRAMES);
}
