/* SPDX-License-Identifier: MIT */
/*
 * Dispatches that debuggers tend to get wrong:  dispatches CASE
 *   indirect   7, 10 and 4 workgroups of one shader in one submission, the first two from a buffer
 *   empty      10, 0, and from a buffer 0 and 4
 *   reused     7, 0 and 10, written one after the other to the same place in a buffer
 *   base       4 workgroups, from number 3 on
 *   twins      two shaders from different files of the same name
 *   lost       a shader whose module has lines, but no text; nor is there such a file
 *   many       a hundred pipelines more of one shader, each with another constant
 */
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "first.h"
#include "lost.h"
#include "second.h"

#define ELEMENTS 640
#define PIPELINES 100

static struct sample sample;
static struct sample_buffer values;

static void
create(struct sample_kernel *kernel, const char *name, const uint32_t *spirv, size_t size)
{
   sample_kernel_init(
      kernel, &sample,
      &(struct sample_kernel_info){.name = name, .spirv = spirv, .spirv_size = size, .buffer_count = 1, .max_sets = 1});
}

static void
bind_values(VkCommandBuffer commands, const struct sample_kernel *kernel)
{
   VkDescriptorSet set = sample_kernel_set(kernel, &sample, (const struct sample_buffer *const[]){&values});
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1, &set, 0, NULL);
}

/* The grids that indirect dispatches read, one behind the other. */
static VkBuffer
create_grids(struct sample_buffer *memory, const uint32_t (*grids)[3], size_t size)
{
   VkBuffer buffer;
   VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                              .size = size,
                              .usage = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
   VkMemoryRequirements requirements;
   SAMPLE_CALL(&sample, vkCreateBuffer, sample.device, &info, NULL, &buffer);
   vkGetBufferMemoryRequirements(sample.device, buffer, &requirements);
   sample_buffer_init(memory, &sample, requirements.size);
   memcpy(memory->map, grids, size);
   SAMPLE_CALL(&sample, vkBindBufferMemory, sample.device, buffer, memory->memory, 0);
   return buffer;
}

static void
run_sizes(bool empty)
{
   static const uint32_t some[2][3] = {{7, 1, 1}, {10, 1, 1}}, none[2][3] = {{5, 0, 1}, {4, 1, 1}};
   struct sample_kernel kernel;
   struct sample_buffer memory;
   create(&kernel, "first", first_spirv, sizeof(first_spirv));
   VkBuffer grids = create_grids(&memory, empty ? none : some, sizeof(some));
   VkCommandBuffer commands = sample_begin(&sample);
   bind_values(commands, &kernel);
   if (empty) {
      vkCmdDispatch(commands, 10, 1, 1);
      sample_barrier(commands);
      vkCmdDispatch(commands, 0, 1, 1);
   }
   for (size_t i = 0; i < 2; i++) {
      vkCmdDispatchIndirect(commands, grids, i * sizeof(some[0]));
      sample_barrier(commands);
   }
   if (!empty)
      vkCmdDispatch(commands, 4, 1, 1);
   sample_submit(&sample, commands);
   vkDestroyBuffer(sample.device, grids, NULL);
   sample_buffer_finish(&memory, &sample);
   sample_kernel_finish(&kernel, &sample);
}

static void
full_barrier(VkCommandBuffer commands)
{
   VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                        &barrier, 0, NULL, 0, NULL);
}

static void
run_reused(void)
{
   static const uint32_t sizes[3][3] = {{7, 1, 1}, {0, 1, 1}, {10, 1, 1}};
   struct sample_kernel kernel;
   struct sample_buffer memory;
   create(&kernel, "first", first_spirv, sizeof(first_spirv));
   VkBuffer grid = create_grids(&memory, sizes, sizeof(sizes[0]));
   VkCommandBuffer commands = sample_begin(&sample);
   bind_values(commands, &kernel);
   for (size_t i = 0; i < 3; i++) {
      vkCmdUpdateBuffer(commands, grid, 0, sizeof(sizes[i]), sizes[i]);
      full_barrier(commands);
      vkCmdDispatchIndirect(commands, grid, 0);
      full_barrier(commands);
   }
   sample_submit(&sample, commands);
   vkDestroyBuffer(sample.device, grid, NULL);
   sample_buffer_finish(&memory, &sample);
   sample_kernel_finish(&kernel, &sample);
}

static VkPipeline
create_pipeline(const struct sample_kernel *kernel, VkPipelineCreateFlags flags, uint32_t step)
{
   VkSpecializationMapEntry constant = {.constantID = 0, .offset = 0, .size = sizeof(step)};
   VkSpecializationInfo constants = {
      .mapEntryCount = 1, .pMapEntries = &constant, .dataSize = sizeof(step), .pData = &step};
   VkShaderModuleCreateInfo module = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof(first_spirv), .pCode = first_spirv};
   VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .flags = flags,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .pName = "main",
                .pSpecializationInfo = &constants},
      .layout = kernel->layout,
   };
   VkPipeline pipeline;
   SAMPLE_CALL(&sample, vkCreateShaderModule, sample.device, &module, NULL, &info.stage.module);
   SAMPLE_CALL(&sample, vkCreateComputePipelines, sample.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
   vkDestroyShaderModule(sample.device, info.stage.module, NULL);
   return pipeline;
}

static void
run_base(void)
{
   struct sample_kernel kernel;
   create(&kernel, "first", first_spirv, sizeof(first_spirv));
   VkPipeline pipeline = create_pipeline(&kernel, VK_PIPELINE_CREATE_DISPATCH_BASE_BIT, 1);
   VkCommandBuffer commands = sample_begin(&sample);
   bind_values(commands, &kernel);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdDispatchBase(commands, 3, 0, 0, 4, 1, 1);
   sample_submit(&sample, commands);
   vkDestroyPipeline(sample.device, pipeline, NULL);
   sample_kernel_finish(&kernel, &sample);
}

static void
run_twins(void)
{
   struct sample_kernel first, second;
   create(&first, "first", first_spirv, sizeof(first_spirv));
   create(&second, "second", second_spirv, sizeof(second_spirv));
   VkCommandBuffer commands = sample_begin(&sample);
   bind_values(commands, &first);
   vkCmdDispatch(commands, 10, 1, 1);
   sample_barrier(commands);
   bind_values(commands, &second);
   vkCmdDispatch(commands, 10, 1, 1);
   sample_submit(&sample, commands);
   sample_kernel_finish(&second, &sample);
   sample_kernel_finish(&first, &sample);
}

static void
run_lost(void)
{
   struct sample_kernel kernel;
   create(&kernel, "lost", lost_spirv, sizeof(lost_spirv));
   VkCommandBuffer commands = sample_begin(&sample);
   bind_values(commands, &kernel);
   vkCmdDispatch(commands, 10, 1, 1);
   sample_submit(&sample, commands);
   sample_kernel_finish(&kernel, &sample);
}

static void
run_many(void)
{
   struct sample_kernel kernel;
   VkPipeline pipelines[PIPELINES];
   create(&kernel, "first", first_spirv, sizeof(first_spirv));
   for (size_t i = 0; i < PIPELINES; i++)
      pipelines[i] = create_pipeline(&kernel, 0, i + 2);
   VkCommandBuffer commands = sample_begin(&sample);
   bind_values(commands, &kernel);
   vkCmdDispatch(commands, 1, 1, 1);
   sample_submit(&sample, commands);
   for (size_t i = 0; i < PIPELINES; i++)
      vkDestroyPipeline(sample.device, pipelines[i], NULL);
   sample_kernel_finish(&kernel, &sample);
}

int
main(int argc, char **argv)
{
   const char *name = argc > 1 ? argv[1] : "";
   sample_init(&sample, "dispatches", ELEMENTS, argc - 1, argv + 1);
   sample_buffer_init(&values, &sample, ELEMENTS * sizeof(uint32_t));
   memset(values.map, 0, values.size);
   bool empty = strcmp(name, "empty") == 0;
   if (empty || strcmp(name, "indirect") == 0)
      run_sizes(empty);
   else if (strcmp(name, "reused") == 0)
      run_reused();
   else if (strcmp(name, "base") == 0)
      run_base();
   else if (strcmp(name, "twins") == 0)
      run_twins();
   else if (strcmp(name, "lost") == 0)
      run_lost();
   else if (strcmp(name, "many") == 0)
      run_many();
   else
      sample_fail(&sample, "no case %s", name);
   uint64_t sum = 0;
   for (uint32_t i = 0; i < ELEMENTS; i++)
      sum += ((const uint32_t *)values.map)[i];
   printf("dispatches: sum %llu\n", (unsigned long long)sum);
   sample_buffer_finish(&values, &sample);
   sample_finish(&sample);
   return 0;
}
