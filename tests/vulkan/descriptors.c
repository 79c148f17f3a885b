/* SPDX-License-Identifier: MIT */
/* The ways to get descriptors to a shader. */
#include "gpu.h"
#include "set.h"
#include "test.h"

#define STORAGE VK_DESCRIPTOR_TYPE_STORAGE_BUFFER

enum { WORDS = 1024 };

static const VkDescriptorType two_buffers[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};

/* to[i] = from[i + offset] + 1 */
static void
check_copy(const struct buffer *from, const struct buffer *to, uint32_t offset, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++)
      CHECK_EQUAL(((uint32_t *)to->map)[i], ((uint32_t *)from->map)[i + offset] + 1);
}

/* ---- VK_KHR_push_descriptor ---- */

static bool
push_descriptors(void)
{
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME, NULL))
      return false;
   struct buffer from[2], to[3];
   for (uint32_t i = 0; i < 2; i++) {
      buffer_init(&gpu, &from[i], WORDS * 4, 0);
      buffer_number(&from[i], 3 + i);
   }
   for (uint32_t i = 0; i < 3; i++)
      buffer_init(&gpu, &to[i], WORDS * 4, 0);
   struct set set;
   set_init_layout(&gpu, &set, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR, 2, two_buffers);
   const VkPipeline pipeline = gpu_create_pipeline(&gpu, set.layout, "copy.comp", 0);
   DEVICE_FUNCTION(&gpu, CmdPushDescriptorSetKHR);
   DEVICE_FUNCTION(&gpu, CmdPushDescriptorSetWithTemplateKHR);
   const VkDescriptorUpdateTemplateEntry entry = {
      .descriptorCount = 2,
      .descriptorType = STORAGE,
      .stride = sizeof(VkDescriptorBufferInfo),
   };
   const VkDescriptorUpdateTemplateCreateInfo template_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
      .descriptorUpdateEntryCount = 1,
      .pDescriptorUpdateEntries = &entry,
      .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
      .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
      .pipelineLayout = set.layout,
   };
   VkDescriptorUpdateTemplate update_template;
   CALL(vkCreateDescriptorUpdateTemplate(gpu.device, &template_info, NULL, &update_template));

   const uint32_t offset = 0;
   const VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdPushConstants(commands, set.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &offset);
   for (uint32_t i = 0; i < 2; i++) {
      const VkDescriptorBufferInfo infos[] = {{from[i].buffer, 0, VK_WHOLE_SIZE}, {to[i].buffer, 0, VK_WHOLE_SIZE}};
      const VkWriteDescriptorSet write = {
         .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .descriptorCount = 2,
         .descriptorType = STORAGE,
         .pBufferInfo = infos,
      };
      CmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, set.layout, 0, 1, &write);
      vkCmdDispatch(commands, WORDS / 64, 1, 1);
   }
   const VkDescriptorBufferInfo infos[] = {{from[0].buffer, 0, VK_WHOLE_SIZE}, {to[2].buffer, 0, VK_WHOLE_SIZE}};
   CmdPushDescriptorSetWithTemplateKHR(commands, update_template, set.layout, 0, infos);
   vkCmdDispatch(commands, WORDS / 64, 1, 1);
   gpu_submit(&gpu, commands);
   check_copy(&from[0], &to[0], 0, WORDS);
   check_copy(&from[1], &to[1], 0, WORDS);
   check_copy(&from[0], &to[2], 0, WORDS);

   vkDestroyDescriptorUpdateTemplate(gpu.device, update_template, NULL);
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   set_finish(&gpu, &set);
   for (uint32_t i = 0; i < 2; i++)
      buffer_finish(&gpu, &from[i]);
   for (uint32_t i = 0; i < 3; i++)
      buffer_finish(&gpu, &to[i]);
   gpu_close(&gpu);
   return true;
}

/* ---- inline uniform blocks ---- */

static bool
inline_block(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   enum { COUNT = 64 };
   const VkDescriptorSetLayoutBinding bindings[] = {
      {0, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, COUNT * 4, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
      {1, STORAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
   };
   const VkDescriptorSetLayoutCreateInfo layout = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = 2,
      .pBindings = bindings,
   };
   struct set set = {0};
   CALL(vkCreateDescriptorSetLayout(gpu.device, &layout, NULL, &set.set_layout));
   set.layout = gpu_create_layout(&gpu, 1, &set.set_layout);
   const VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
      .maxInlineUniformBlockBindings = 1,
   };
   const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, COUNT * 4}, {STORAGE, 1}};
   const VkDescriptorPoolCreateInfo pool = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .pNext = &blocks,
      .maxSets = 1,
      .poolSizeCount = 2,
      .pPoolSizes = sizes,
   };
   CALL(vkCreateDescriptorPool(gpu.device, &pool, NULL, &set.pool));
   const VkDescriptorSetAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = set.pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &set.set_layout,
   };
   CALL(vkAllocateDescriptorSets(gpu.device, &allocate, &set.set));
   uint32_t values[COUNT];
   for (uint32_t i = 0; i < COUNT; i++)
      values[i] = 9 * i + 2;
   /* In two parts, as an update is by bytes. */
   for (uint32_t half = 0; half < 2; half++) {
      const VkWriteDescriptorSetInlineUniformBlock block = {
         .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
         .dataSize = sizeof(values) / 2,
         .pData = values + half * COUNT / 2,
      };
      const VkWriteDescriptorSet write = {
         .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .pNext = &block,
         .dstSet = set.set,
         .dstArrayElement = half * sizeof(values) / 2,
         .descriptorCount = sizeof(values) / 2,
         .descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
      };
      vkUpdateDescriptorSets(gpu.device, 1, &write, 0, NULL);
   }
   struct buffer to;
   buffer_init(&gpu, &to, COUNT * 4, 0);
   set_write_buffer(&gpu, &set, 1, STORAGE, to.buffer, 0, VK_WHOLE_SIZE);
   const VkPipeline pipeline = gpu_create_pipeline(&gpu, set.layout, "inline.comp", 0);
   const uint32_t unused = 0;
   set_run(&gpu, &set, pipeline, &unused, 4, 1);
   for (uint32_t i = 0; i < COUNT; i++)
      CHECK_EQUAL(((uint32_t *)to.map)[i], values[i] + values[0] * 1000);
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   buffer_finish(&gpu, &to);
   set_finish(&gpu, &set);
   gpu_close(&gpu);
   return true;
}

/* ---- many descriptors, updated after the set was bound ---- */

enum { BINDLESS = 500, BINDLESS_MAX = 1000 };

static void
create_bindless_set(struct gpu *gpu, struct set *set)
{
   const VkDescriptorSetLayoutBinding binding = {0, STORAGE, BINDLESS_MAX, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
   const VkDescriptorBindingFlags flags =
      VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
      VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT | VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT;
   const VkDescriptorSetLayoutBindingFlagsCreateInfo binding_flags = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
      .bindingCount = 1,
      .pBindingFlags = &flags,
   };
   const VkDescriptorSetLayoutCreateInfo layout = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .pNext = &binding_flags,
      .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
      .bindingCount = 1,
      .pBindings = &binding,
   };
   *set = (struct set){0};
   CALL(vkCreateDescriptorSetLayout(gpu->device, &layout, NULL, &set->set_layout));
   set->layout = gpu_create_layout(gpu, 1, &set->set_layout);
   const VkDescriptorPoolSize size = {STORAGE, BINDLESS};
   const VkDescriptorPoolCreateInfo pool = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
      .maxSets = 1,
      .poolSizeCount = 1,
      .pPoolSizes = &size,
   };
   CALL(vkCreateDescriptorPool(gpu->device, &pool, NULL, &set->pool));
   const uint32_t count = BINDLESS;
   const VkDescriptorSetVariableDescriptorCountAllocateInfo variable = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
      .descriptorSetCount = 1,
      .pDescriptorCounts = &count,
   };
   const VkDescriptorSetAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .pNext = &variable,
      .descriptorPool = set->pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &set->set_layout,
   };
   CALL(vkAllocateDescriptorSets(gpu->device, &allocate, &set->set));
}

static void
write_element(struct gpu *gpu, const struct set *set, uint32_t element, VkBuffer buffer, VkDeviceSize offset)
{
   const VkDescriptorBufferInfo info = {buffer, offset, 4};
   const VkWriteDescriptorSet write = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set->set,
      .dstArrayElement = element,
      .descriptorCount = 1,
      .descriptorType = STORAGE,
      .pBufferInfo = &info,
   };
   vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
}

static bool
bindless(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   struct set set;
   create_bindless_set(&gpu, &set);
   const VkDeviceSize stride = gpu.properties.limits.minStorageBufferOffsetAlignment;
   struct buffer words, numbers, to;
   buffer_init(&gpu, &words, (BINDLESS + 1) * stride, 0);
   buffer_init(&gpu, &numbers, BINDLESS_MAX * 4, 0);
   buffer_init(&gpu, &to, BINDLESS_MAX * 4, 0);
   for (uint32_t i = 0; i <= BINDLESS; i++)
      *(uint32_t *)((uint8_t *)words.map + i * stride) = 17 * i + 5;
   /* Every odd one has a buffer, and is what the shader asks for. */
   const uint32_t count = BINDLESS / 2 / 64 * 64;
   for (uint32_t i = 0; i < count; i++)
      ((uint32_t *)numbers.map)[i] = i * 97 % (BINDLESS / 2) * 2 + 1;
   const VkPipeline pipeline = gpu_create_pipeline(&gpu, set.layout, "bindless.comp", 0);
   const struct {
      uint64_t numbers, to;
   } push = {numbers.address, to.address};
   const VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, set.layout, 0, 1, &set.set, 0, NULL);
   vkCmdPushConstants(commands, set.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
   vkCmdDispatch(commands, count / 64, 1, 1);
   for (uint32_t i = 1; i < BINDLESS; i += 2)
      write_element(&gpu, &set, i, words.buffer, i * stride);
   write_element(&gpu, &set, 1, words.buffer, BINDLESS * stride);
   gpu_submit(&gpu, commands);
   for (uint32_t i = 0; i < count; i++) {
      const uint32_t number = ((uint32_t *)numbers.map)[i];
      CHECK_EQUAL(((uint32_t *)to.map)[i], 17 * (number == 1 ? BINDLESS : number) + 5);
   }
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   buffer_finish(&gpu, &to);
   buffer_finish(&gpu, &numbers);
   buffer_finish(&gpu, &words);
   set_finish(&gpu, &set);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "push descriptors", .run = push_descriptors},
   {.name = "inline uniform block", .run = inline_block},
   {.name = "bindless, updated after bind", .run = bindless},
   {.name = NULL},
};
