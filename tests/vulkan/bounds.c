/* SPDX-License-Identifier: MIT */
/* Resources of every kind, by sets and by descriptor buffers, and what is outside of them. */
#include <string.h>

#include "gpu.h"
#include "set.h"
#include "test.h"

/* ---- the resources that outside.comp reads and writes ---- */

enum { STORAGE_BUFFER, UNIFORM_BUFFER, STORAGE_IMAGE, SAMPLED_IMAGE, UNIFORM_TEXELS, STORAGE_TEXELS, KINDS };
static const VkDescriptorType kinds[KINDS] = {
   [STORAGE_BUFFER] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
   [UNIFORM_BUFFER] = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
   [STORAGE_IMAGE] = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
   [SAMPLED_IMAGE] = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
   [UNIFORM_TEXELS] = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
   [STORAGE_TEXELS] = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
};

/* Each has 16 elements; those in buffers begin 256 bytes into them, and the buffers go on. */
enum { ELEMENTS = 16, BEGIN = 256, INSIDE = 3, OUTSIDE = 19, STORED = 77, RESULTS = 16 };
static const uint32_t range_of[KINDS] = {
   [STORAGE_BUFFER] = ELEMENTS * 4,
   [UNIFORM_BUFFER] = ELEMENTS * 16,
   [UNIFORM_TEXELS] = ELEMENTS * 4,
   [STORAGE_TEXELS] = ELEMENTS * 4,
};

struct resources {
   struct buffer buffers[KINDS], results;
   VkImage image;
   VkDeviceMemory image_memory;
   VkImageView view;
   VkBufferView texels[KINDS];
};

static void
create_image(struct gpu *gpu, struct resources *resources)
{
   const VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .imageType = VK_IMAGE_TYPE_2D,
      .format = VK_FORMAT_R32_UINT,
      .extent = {ELEMENTS, 1, 1},
      .mipLevels = 1,
      .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .tiling = VK_IMAGE_TILING_OPTIMAL,
      .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
   };
   CALL(vkCreateImage(gpu->device, &info, NULL, &resources->image));
   resources->image_memory = gpu_allocate_image(gpu, resources->image);
   const VkImageViewCreateInfo view = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = resources->image,
      .viewType = VK_IMAGE_VIEW_TYPE_2D,
      .format = VK_FORMAT_R32_UINT,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
   };
   CALL(vkCreateImageView(gpu->device, &view, NULL, &resources->view));
   const VkCommandBuffer commands = gpu_begin(gpu);
   gpu_transition(commands, resources->image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_GENERAL);
   gpu_submit(gpu, commands);
}

static void
resources_init(struct gpu *gpu, struct resources *resources)
{
   static const VkBufferUsageFlags usage[KINDS] = {
      [UNIFORM_BUFFER] = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
      [UNIFORM_TEXELS] = VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
      [STORAGE_TEXELS] = VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
   };
   *resources = (struct resources){0};
   for (uint32_t i = 0; i < KINDS; i++) {
      if (!range_of[i])
         continue;
      buffer_init(gpu, &resources->buffers[i], 4096, usage[i]);
      buffer_number(&resources->buffers[i], 1);
      if (i != UNIFORM_TEXELS && i != STORAGE_TEXELS)
         continue;
      const VkBufferViewCreateInfo info = {
         .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
         .buffer = resources->buffers[i].buffer,
         .format = VK_FORMAT_R32_UINT,
         .offset = BEGIN,
         .range = range_of[i],
      };
      CALL(vkCreateBufferView(gpu->device, &info, NULL, &resources->texels[i]));
   }
   buffer_init(gpu, &resources->results, RESULTS * 4, 0);
   create_image(gpu, resources);
}

static void
resources_finish(struct gpu *gpu, struct resources *resources)
{
   vkDestroyImageView(gpu->device, resources->view, NULL);
   vkDestroyImage(gpu->device, resources->image, NULL);
   vkFreeMemory(gpu->device, resources->image_memory, NULL);
   for (uint32_t i = 0; i < KINDS; i++) {
      vkDestroyBufferView(gpu->device, resources->texels[i], NULL);
      if (range_of[i])
         buffer_finish(gpu, &resources->buffers[i]);
   }
   buffer_finish(gpu, &resources->results);
}

static void
write_set(struct gpu *gpu, const struct set *set, const struct resources *resources)
{
   static const struct resources nothing;
   if (!resources)
      resources = &nothing;
   const VkDeviceSize begin = resources == &nothing ? 0 : BEGIN;
   for (uint32_t i = STORAGE_BUFFER; i <= UNIFORM_BUFFER; i++)
      set_write_buffer(gpu, set, i, kinds[i], resources->buffers[i].buffer, begin, begin ? range_of[i] : VK_WHOLE_SIZE);
   for (uint32_t i = STORAGE_IMAGE; i <= SAMPLED_IMAGE; i++)
      set_write_image(gpu, set, i, kinds[i], resources->view, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL);
   for (uint32_t i = UNIFORM_TEXELS; i <= STORAGE_TEXELS; i++)
      set_write_texels(gpu, set, i, kinds[i], resources->texels[i]);
}

struct outside_push {
   uint64_t results;
   uint32_t index;
};

/* What outside.comp stores: six values, four sizes, and what an atomic returns. */
enum { VALUES = 6, SIZES = 4 };

/* After a run with the same index before it. */
static void
check_inside(const struct resources *resources)
{
   const uint32_t *results = resources->results.map;
   CHECK_EQUAL(results[STORAGE_BUFFER], STORED);
   CHECK_EQUAL(results[UNIFORM_BUFFER], (BEGIN + INSIDE * 16) / 4);
   CHECK_EQUAL(results[STORAGE_IMAGE], STORED);
   CHECK_EQUAL(results[SAMPLED_IMAGE], STORED);
   CHECK_EQUAL(results[UNIFORM_TEXELS], (BEGIN + INSIDE * 4) / 4);
   CHECK_EQUAL(results[STORAGE_TEXELS], STORED);
   CHECK_EQUAL(results[VALUES + SIZES], STORED);
}

static void
check_values(const struct resources *resources, uint32_t first, uint32_t count, uint32_t expected)
{
   for (uint32_t i = first; i < first + count; i++)
      CHECK_EQUAL(((uint32_t *)resources->results.map)[i], expected);
}

/* Nothing but the element inside was stored. */
static void
check_untouched(const struct resources *resources)
{
   for (uint32_t kind = 0; kind < KINDS; kind++) {
      const uint32_t *words = resources->buffers[kind].map;
      for (uint32_t i = 0; range_of[kind] && i < 1024; i++)
         if (i != BEGIN / 4 + INSIDE)
            CHECK_EQUAL(words[i], i);
   }
}

static void
run_outside(struct gpu *gpu, const struct set *set, VkPipeline pipeline, const struct resources *resources,
            uint32_t index)
{
   const struct outside_push push = {resources->results.address, index};
   memset(resources->results.map, 0xcd, resources->results.size);
   set_run(gpu, set, pipeline, &push, sizeof(push), 1);
}

/* VK_EXT_robustness2 and, without it, robustBufferAccess and robustImageAccess. RADV is as strict with both. */
static bool
check_robustness(bool second)
{
   VkPhysicalDeviceRobustness2FeaturesEXT features = {.sType =
                                                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
   const struct gpu_options options = {
      .extensions = (const char *const[]){second ? VK_EXT_ROBUSTNESS_2_EXTENSION_NAME : NULL, NULL},
      .features = second ? &features : NULL,
      .robust = true,
   };
   struct gpu gpu;
   if (!gpu_open(&gpu, &options))
      return false;
   struct set set;
   set_init(&gpu, &set, KINDS, kinds);
   const VkPipeline pipeline = gpu_create_pipeline(&gpu, set.layout, "outside.comp", 0);
   struct resources resources;
   resources_init(&gpu, &resources);
   write_set(&gpu, &set, &resources);
   run_outside(&gpu, &set, pipeline, &resources, INSIDE);
   run_outside(&gpu, &set, pipeline, &resources, INSIDE);
   check_inside(&resources);
   check_values(&resources, VALUES, SIZES, ELEMENTS);
   check_untouched(&resources);
   if (second || gpu.is_virtual) {
      run_outside(&gpu, &set, pipeline, &resources, OUTSIDE);
      check_values(&resources, 0, VALUES, 0);
      check_values(&resources, VALUES, SIZES, ELEMENTS);
      check_untouched(&resources);
   }
   if (second) {
      write_set(&gpu, &set, NULL);
      run_outside(&gpu, &set, pipeline, &resources, INSIDE);
      check_values(&resources, 0, VALUES, 0);
      if (gpu.is_virtual) /* lavapipe has sizes for some */
         check_values(&resources, VALUES, SIZES, 0);
      check_untouched(&resources);
   }
   resources_finish(&gpu, &resources);
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   set_finish(&gpu, &set);
   gpu_close(&gpu);
   return true;
}

static bool
robustness(void)
{
   return check_robustness(false);
}

static bool
robustness2(void)
{
   return check_robustness(true);
}

/* ---- VK_EXT_descriptor_buffer ---- */

static void
put_descriptors(struct gpu *gpu, const struct set *set, const struct resources *resources, uint8_t *to)
{
   DEVICE_FUNCTION(gpu, GetDescriptorEXT);
   DEVICE_FUNCTION(gpu, GetDescriptorSetLayoutBindingOffsetEXT);
   VkPhysicalDeviceDescriptorBufferPropertiesEXT sizes = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &sizes};
   vkGetPhysicalDeviceProperties2(gpu->physical_device, &properties);
   const size_t size_of[KINDS] = {
      [STORAGE_BUFFER] = sizes.storageBufferDescriptorSize,
      [UNIFORM_BUFFER] = sizes.uniformBufferDescriptorSize,
      [STORAGE_IMAGE] = sizes.storageImageDescriptorSize,
      [SAMPLED_IMAGE] = sizes.sampledImageDescriptorSize,
      [UNIFORM_TEXELS] = sizes.uniformTexelBufferDescriptorSize,
      [STORAGE_TEXELS] = sizes.storageTexelBufferDescriptorSize,
   };
   for (uint32_t i = 0; i < KINDS; i++) {
      const VkDescriptorAddressInfoEXT address = {
         .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
         .address = resources->buffers[i].address + BEGIN,
         .range = range_of[i],
         .format = i == UNIFORM_TEXELS || i == STORAGE_TEXELS ? VK_FORMAT_R32_UINT : VK_FORMAT_UNDEFINED,
      };
      const VkDescriptorImageInfo image = {.imageView = resources->view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
      const VkDescriptorGetInfoEXT info = {
         .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
         .type = kinds[i],
         /* A union of pointers. */
         .data = range_of[i] ? (VkDescriptorDataEXT){.pStorageBuffer = &address}
                             : (VkDescriptorDataEXT){.pStorageImage = &image},
      };
      VkDeviceSize offset;
      GetDescriptorSetLayoutBindingOffsetEXT(gpu->device, set->set_layout, i, &offset);
      GetDescriptorEXT(gpu->device, &info, size_of[i], to + offset);
   }
}

static bool
descriptor_buffer(void)
{
   VkPhysicalDeviceDescriptorBufferFeaturesEXT features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT};
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME, &features))
      return false;
   struct set set;
   set_init_layout(&gpu, &set, VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT, KINDS, kinds);
   const VkPipeline pipeline =
      gpu_create_pipeline(&gpu, set.layout, "outside.comp", VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
   struct resources resources;
   resources_init(&gpu, &resources);
   DEVICE_FUNCTION(&gpu, GetDescriptorSetLayoutSizeEXT);
   DEVICE_FUNCTION(&gpu, CmdBindDescriptorBuffersEXT);
   DEVICE_FUNCTION(&gpu, CmdSetDescriptorBufferOffsetsEXT);
   enum { SET_OFFSET = 4096 };
   VkDeviceSize size;
   GetDescriptorSetLayoutSizeEXT(gpu.device, set.set_layout, &size);
   struct buffer descriptors;
   buffer_init(&gpu, &descriptors, SET_OFFSET + size, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT);
   put_descriptors(&gpu, &set, &resources, (uint8_t *)descriptors.map + SET_OFFSET);

   const struct outside_push push = {resources.results.address, INSIDE};
   const VkDescriptorBufferBindingInfoEXT binding = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
      .address = descriptors.address,
      .usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT,
   };
   const uint32_t number = 0;
   const VkDeviceSize offset = SET_OFFSET;
   const VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   CmdBindDescriptorBuffersEXT(commands, 1, &binding);
   CmdSetDescriptorBufferOffsetsEXT(commands, VK_PIPELINE_BIND_POINT_COMPUTE, set.layout, 0, 1, &number, &offset);
   vkCmdPushConstants(commands, set.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
   vkCmdDispatch(commands, 1, 1, 1);
   gpu_barrier(commands);
   vkCmdDispatch(commands, 1, 1, 1);
   gpu_submit(&gpu, commands);
   check_inside(&resources);
   check_values(&resources, VALUES, SIZES, ELEMENTS);
   check_untouched(&resources);

   buffer_finish(&gpu, &descriptors);
   resources_finish(&gpu, &resources);
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   set_finish(&gpu, &set);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "robustness", .run = robustness},
   {.name = "robustness2 and null descriptors", .run = robustness2},
   {.name = "descriptor buffer", .run = descriptor_buffer},
   {.name = NULL},
};
