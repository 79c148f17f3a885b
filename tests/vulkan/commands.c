/* SPDX-License-Identifier: MIT */
/* Commands whose data, size or being comes from memory or from the command buffer. */
#include <string.h>

#include "counter.h"
#include "test.h"

static void
clear(struct buffer *buffer)
{
   memset(buffer->map, 0, buffer->size);
}

static void
check_counts(const struct buffer *buffer, uint32_t invocations, uint32_t x, uint32_t y, uint32_t z)
{
   const struct counts *counts = buffer->map;
   CHECK_EQUAL(counts->invocations, invocations);
   CHECK_EQUAL(counts->last[0], x);
   CHECK_EQUAL(counts->last[1], y);
   CHECK_EQUAL(counts->last[2], z);
}

/* ---- vkCmdFillBuffer, vkCmdUpdateBuffer ---- */

static bool
fills(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   enum { SIZE = 1 << 20, UPDATE = 65536 };
   /* Around the sizes where drivers change their way: packets, dispatches. */
   static const struct {
      uint32_t offset, size;
   } ranges[] = {{0, 4}, {4, 60}, {64, 4096}, {8196, 16384}, {65540, 131072}, {262144, 500000}};
   struct buffer buffer;
   buffer_init(&gpu, &buffer, SIZE, 0);
   VkCommandBuffer commands = gpu_begin(&gpu);
   for (uint32_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
      vkCmdFillBuffer(commands, buffer.buffer, ranges[i].offset, ranges[i].size, 0x01020304 * (i + 1));
   vkCmdFillBuffer(commands, buffer.buffer, SIZE - 4096, VK_WHOLE_SIZE, 0xffeeddcc);
   gpu_submit(&gpu, commands);
   uint32_t *expected = malloc(SIZE);
   CHECK(expected);
   memset(expected, 0xcd, SIZE);
   for (uint32_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
      for (uint32_t word = 0; word < ranges[i].size / 4; word++)
         expected[ranges[i].offset / 4 + word] = 0x01020304 * (i + 1);
   for (uint32_t word = 0; word < 1024; word++)
      expected[SIZE / 4 - 1024 + word] = 0xffeeddcc;
   CHECK(!memcmp(buffer.map, expected, SIZE));

   uint32_t *update = malloc(UPDATE);
   CHECK(update);
   for (uint32_t i = 0; i < UPDATE / 4; i++)
      update[i] = i * 2654435761u;
   commands = gpu_begin(&gpu);
   vkCmdUpdateBuffer(commands, buffer.buffer, 12, 4, update);
   vkCmdUpdateBuffer(commands, buffer.buffer, 131072, UPDATE, update);
   gpu_submit(&gpu, commands);
   expected[3] = update[0];
   memcpy(expected + 131072 / 4, update, UPDATE);
   CHECK(!memcmp(buffer.map, expected, SIZE));
   free(update);
   free(expected);
   buffer_finish(&gpu, &buffer);
   gpu_close(&gpu);
   return true;
}

/* ---- vkCmdDispatchIndirect, vkCmdDispatchBase ---- */

static bool
indirect(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   const VkPipeline store = gpu_create_pipeline(&gpu, gpu.layout, "store.comp", 0);
   const VkPipeline count = gpu_create_pipeline(&gpu, gpu.layout, "count.comp", VK_PIPELINE_CREATE_DISPATCH_BASE_BIT);
   struct buffer arguments, counts;
   buffer_init(&gpu, &arguments, 256, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
   buffer_init(&gpu, &counts, sizeof(struct counts), 0);
   clear(&counts);
   const struct count_push push = {counts.address, 1};

   /* The size is what a dispatch before it stores: 3, 5, 7, and further on 1, 0, 1, which is none. */
   const struct {
      uint64_t to;
      uint32_t factor, base;
   } sizes = {arguments.address, 2, 3};
   VkCommandBuffer commands = gpu_begin(&gpu);
   gpu_dispatch(&gpu, commands, store, &sizes, sizeof(sizes), 1);
   gpu_barrier(commands);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, count);
   vkCmdPushConstants(commands, gpu.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
   vkCmdDispatchIndirect(commands, arguments.buffer, 0);
   gpu_submit(&gpu, commands);
   check_counts(&counts, 3 * 5 * 7 * COUNT_INVOCATIONS, 2, 4, 6);

   clear(&counts);
   memcpy((uint32_t *)arguments.map + 8, (const uint32_t[]){5, 0, 5}, 12);
   commands = gpu_begin(&gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, count);
   vkCmdPushConstants(commands, gpu.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
   vkCmdDispatchIndirect(commands, arguments.buffer, 32);
   vkCmdDispatchBase(commands, 10, 20, 30, 2, 1, 3);
   gpu_submit(&gpu, commands);
   check_counts(&counts, 2 * 1 * 3 * COUNT_INVOCATIONS, 11, 20, 32);

   buffer_finish(&gpu, &counts);
   buffer_finish(&gpu, &arguments);
   vkDestroyPipeline(gpu.device, count, NULL);
   vkDestroyPipeline(gpu.device, store, NULL);
   gpu_close(&gpu);
   return true;
}

/* ---- VK_EXT_conditional_rendering ---- */

static bool
conditional(void)
{
   VkPhysicalDeviceConditionalRenderingFeaturesEXT features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT};
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME, &features))
      return false;
   DEVICE_FUNCTION(&gpu, CmdBeginConditionalRenderingEXT);
   DEVICE_FUNCTION(&gpu, CmdEndConditionalRenderingEXT);
   const VkPipeline count = gpu_create_pipeline(&gpu, gpu.layout, "count.comp", 0);
   struct buffer conditions, counts, arguments;
   buffer_init(&gpu, &conditions, 64, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
   buffer_init(&gpu, &counts, sizeof(struct counts), 0);
   buffer_init(&gpu, &arguments, 12, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
   memcpy(arguments.map, (const uint32_t[]){1, 1, 1}, 12);
   clear(&counts);
   /* Only 32 bits count: what follows must not. */
   const uint32_t values[] = {0, 1, 0x80000000, 0, 0, 0xffffffff};
   memcpy(conditions.map, values, sizeof(values));

   const VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, count);
   uint32_t expected = 0;
   for (uint32_t i = 0; i < 5; i++) {
      for (uint32_t inverted = 0; inverted < 2; inverted++) {
         for (uint32_t is_indirect = 0; is_indirect < 2; is_indirect++) {
            const struct count_push push = {counts.address, 1u << (4 * i + 2 * inverted + is_indirect)};
            vkCmdPushConstants(commands, gpu.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
            const VkConditionalRenderingBeginInfoEXT begin = {
               .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
               .buffer = conditions.buffer,
               .offset = 4 * i,
               .flags = inverted ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0,
            };
            CmdBeginConditionalRenderingEXT(commands, &begin);
            if (is_indirect)
               vkCmdDispatchIndirect(commands, arguments.buffer, 0);
            else
               vkCmdDispatch(commands, 1, 1, 1);
            CmdEndConditionalRenderingEXT(commands);
            if ((values[i] != 0) != inverted)
               expected += push.weight * COUNT_INVOCATIONS;
         }
      }
   }
   const struct count_push always = {counts.address, 1u << 24};
   gpu_dispatch(&gpu, commands, count, &always, sizeof(always), 1);
   expected += always.weight * COUNT_INVOCATIONS;
   gpu_submit(&gpu, commands);
   check_counts(&counts, expected, 0, 0, 0);

   buffer_finish(&gpu, &arguments);
   buffer_finish(&gpu, &counts);
   buffer_finish(&gpu, &conditions);
   vkDestroyPipeline(gpu.device, count, NULL);
   gpu_close(&gpu);
   return true;
}

/* ---- VK_EXT_device_generated_commands ---- */

/* One sequence: which shader, what it is pushed, how large it is. */
struct sequence {
   uint32_t shader;
   struct count_push push;
   VkDispatchIndirectCommand size;
};

enum { SHADERS = 2, SEQUENCES = 3 };

static VkIndirectExecutionSetEXT
create_execution_set(struct gpu *gpu, const VkPipeline pipelines[SHADERS])
{
   DEVICE_FUNCTION(gpu, CreateIndirectExecutionSetEXT);
   DEVICE_FUNCTION(gpu, UpdateIndirectExecutionSetPipelineEXT);
   const VkIndirectExecutionSetPipelineInfoEXT first = {
      .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT,
      .initialPipeline = pipelines[0],
      .maxPipelineCount = SHADERS,
   };
   const VkIndirectExecutionSetCreateInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT,
      .type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
      .info.pPipelineInfo = &first,
   };
   VkIndirectExecutionSetEXT set;
   CALL(CreateIndirectExecutionSetEXT(gpu->device, &info, NULL, &set));
   for (uint32_t i = 0; i < SHADERS; i++) {
      const VkWriteIndirectExecutionSetPipelineEXT write = {
         .sType = VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT,
         .index = i,
         .pipeline = pipelines[i],
      };
      UpdateIndirectExecutionSetPipelineEXT(gpu->device, set, 1, &write);
   }
   return set;
}

static VkIndirectCommandsLayoutEXT
create_commands_layout(struct gpu *gpu, bool preprocess)
{
   const VkIndirectCommandsExecutionSetTokenEXT shader = {
      .type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
      .shaderStages = VK_SHADER_STAGE_COMPUTE_BIT,
   };
   const VkIndirectCommandsPushConstantTokenEXT push = {
      .updateRange = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct count_push)},
   };
   const VkIndirectCommandsLayoutTokenEXT tokens[] = {
      {
         .sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT,
         .type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT,
         .data.pExecutionSet = &shader,
         .offset = offsetof(struct sequence, shader),
      },
      {
         .sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT,
         .type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT,
         .data.pPushConstant = &push,
         .offset = offsetof(struct sequence, push),
      },
      {
         .sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT,
         .type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT,
         .offset = offsetof(struct sequence, size),
      },
   };
   const VkIndirectCommandsLayoutCreateInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT,
      .flags = preprocess ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT : 0,
      .shaderStages = VK_SHADER_STAGE_COMPUTE_BIT,
      .indirectStride = sizeof(struct sequence),
      .pipelineLayout = gpu->layout,
      .tokenCount = 3,
      .pTokens = tokens,
   };
   DEVICE_FUNCTION(gpu, CreateIndirectCommandsLayoutEXT);
   VkIndirectCommandsLayoutEXT layout;
   CALL(CreateIndirectCommandsLayoutEXT(gpu->device, &info, NULL, &layout));
   return layout;
}

/* For commands alone: with an address, not mapped. */
static void
preprocess_init(struct gpu *gpu, struct buffer *buffer, VkIndirectCommandsLayoutEXT layout,
                VkIndirectExecutionSetEXT set)
{
   const VkGeneratedCommandsMemoryRequirementsInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT,
      .indirectExecutionSet = set,
      .indirectCommandsLayout = layout,
      .maxSequenceCount = SEQUENCES,
   };
   DEVICE_FUNCTION(gpu, GetGeneratedCommandsMemoryRequirementsEXT);
   VkMemoryRequirements2 requirements = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
   GetGeneratedCommandsMemoryRequirementsEXT(gpu->device, &info, &requirements);
   const VkBufferUsageFlags2CreateInfoKHR usage = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR,
      .usage = VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT | VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT_KHR,
   };
   *buffer = (struct buffer){.size = requirements.memoryRequirements.size ? requirements.memoryRequirements.size : 4};
   buffer->buffer = gpu_create_buffer(gpu, buffer->size, 0, 0, &usage);
   const VkMemoryAllocateFlagsInfo flags = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
   };
   VkMemoryRequirements of_buffer;
   vkGetBufferMemoryRequirements(gpu->device, buffer->buffer, &of_buffer);
   const VkMemoryAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .pNext = &flags,
      .allocationSize = of_buffer.size,
      .memoryTypeIndex = gpu_memory_type(gpu, of_buffer.memoryTypeBits, 0),
   };
   CALL(vkAllocateMemory(gpu->device, &allocate, NULL, &buffer->memory));
   CALL(vkBindBufferMemory(gpu->device, buffer->buffer, buffer->memory, 0));
   buffer->address = gpu_address(gpu, buffer->buffer);
}

static void
execute_generated(struct gpu *gpu, const VkGeneratedCommandsInfoEXT *info, VkPipeline bound, bool preprocess)
{
   DEVICE_FUNCTION(gpu, CmdPreprocessGeneratedCommandsEXT);
   DEVICE_FUNCTION(gpu, CmdExecuteGeneratedCommandsEXT);
   const VkCommandBuffer state = gpu_begin(gpu), commands = gpu_begin(gpu);
   vkCmdBindPipeline(state, VK_PIPELINE_BIND_POINT_COMPUTE, bound);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, bound);
   if (preprocess) {
      CmdPreprocessGeneratedCommandsEXT(commands, info, state);
      const VkMemoryBarrier barrier = {
         .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
         .srcAccessMask = VK_ACCESS_COMMAND_PREPROCESS_WRITE_BIT_EXT,
         .dstAccessMask = VK_ACCESS_COMMAND_PREPROCESS_READ_BIT_EXT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT,
      };
      vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMMAND_PREPROCESS_BIT_EXT,
                           VK_PIPELINE_STAGE_COMMAND_PREPROCESS_BIT_EXT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, 1,
                           &barrier, 0, NULL, 0, NULL);
   }
   CmdExecuteGeneratedCommandsEXT(commands, preprocess, info);
   gpu_submit(gpu, commands);
   CALL(vkEndCommandBuffer(state));
   vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &state);
}

static void
check_generated(struct gpu *gpu, VkIndirectExecutionSetEXT set, VkPipeline bound, bool preprocess)
{
   const VkIndirectCommandsLayoutEXT layout = create_commands_layout(gpu, preprocess);
   struct buffer counts, sequences, number, commands;
   buffer_init(gpu, &counts, sizeof(struct counts), 0);
   buffer_init(gpu, &sequences, SEQUENCES * sizeof(struct sequence), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
   buffer_init(gpu, &number, 4, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
   preprocess_init(gpu, &commands, layout, set);
   const struct sequence all[SEQUENCES] = {
      {0, {counts.address, 1}, {2, 1, 1}},
      {1, {counts.address, 1000}, {1, 3, 1}},
      {0, {counts.address, 1000000}, {1, 1, 7}},
   };
   memcpy(sequences.map, all, sizeof(all));
   for (uint32_t n = 0; n <= SEQUENCES; n++) {
      clear(&counts);
      *(uint32_t *)number.map = n;
      const VkGeneratedCommandsInfoEXT info = {
         .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
         .shaderStages = VK_SHADER_STAGE_COMPUTE_BIT,
         .indirectExecutionSet = set,
         .indirectCommandsLayout = layout,
         .indirectAddress = sequences.address,
         .indirectAddressSize = sequences.size,
         .preprocessAddress = commands.address,
         .preprocessSize = commands.size,
         .maxSequenceCount = SEQUENCES,
         .sequenceCountAddress = number.address,
      };
      execute_generated(gpu, &info, bound, preprocess);
      const uint32_t expected = (n > 0 ? 2 : 0) + (n > 1 ? 2 * 3 * 1000 : 0) + (n > 2 ? 7 * 1000000 : 0);
      check_counts(&counts, expected * COUNT_INVOCATIONS, n > 0 ? 1 : 0, n > 1 ? 2 : 0, n > 2 ? 6 : 0);
   }
   DEVICE_FUNCTION(gpu, DestroyIndirectCommandsLayoutEXT);
   DestroyIndirectCommandsLayoutEXT(gpu->device, layout, NULL);
   buffer_finish(gpu, &commands);
   buffer_finish(gpu, &number);
   buffer_finish(gpu, &sequences);
   buffer_finish(gpu, &counts);
}

static bool
generated(void)
{
   VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR};
   VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT, .pNext = &maintenance5};
   const struct gpu_options options = {
      .extensions = (const char *const[]){VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                                          VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME, NULL},
      .features = &features,
   };
   struct gpu gpu;
   if (!gpu_open(&gpu, &options))
      return false;
   const VkPipelineCreateFlags2CreateInfoKHR bindable = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
      .flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT,
   };
   const VkSpecializationMapEntry factor = {.constantID = 0, .offset = 0, .size = sizeof(uint32_t)};
   VkPipeline pipelines[SHADERS];
   for (uint32_t i = 0; i < SHADERS; i++) {
      const VkSpecializationInfo constants = {1, &factor, sizeof(uint32_t), &(const uint32_t){i + 1}};
      const VkComputePipelineCreateInfo info = {
         .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
         .pNext = &bindable,
         .stage =
            {
               .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = gpu_create_module(&gpu, "count.comp"),
               .pName = "main",
               .pSpecializationInfo = &constants,
            },
         .layout = gpu.layout,
      };
      CALL(vkCreateComputePipelines(gpu.device, VK_NULL_HANDLE, 1, &info, NULL, &pipelines[i]));
      vkDestroyShaderModule(gpu.device, info.stage.module, NULL);
   }
   const VkIndirectExecutionSetEXT set = create_execution_set(&gpu, pipelines);
   for (int preprocess = 0; preprocess < 2; preprocess++)
      check_generated(&gpu, set, pipelines[0], preprocess);
   DEVICE_FUNCTION(&gpu, DestroyIndirectExecutionSetEXT);
   DestroyIndirectExecutionSetEXT(gpu.device, set, NULL);
   for (uint32_t i = 0; i < SHADERS; i++)
      vkDestroyPipeline(gpu.device, pipelines[i], NULL);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "fill and update", .run = fills},
   {.name = "indirect dispatch", .run = indirect},
   {.name = "conditional rendering", .run = conditional},
   {.name = "device-generated commands", .run = generated, .not_validated = true},
   {.name = NULL},
};
