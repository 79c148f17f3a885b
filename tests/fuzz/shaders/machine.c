/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "set.h"

/* What the machine itself puts behind the memory that is compared. */
enum {
   ADDRESSES_OFFSET = MACHINE_MEMORY_SIZE, /* those of the bindings 0 and 3, in binding 0 of set 1 */
   ADDRESSES_SIZE = 256,
   INDIRECT_OFFSET = ADDRESSES_OFFSET + ADDRESSES_SIZE,
   BUFFER_SIZE = INDIRECT_OFFSET + 256,
};

struct machine {
   struct gpu gpu;
   uint32_t min_wave_size, max_wave_size;
   struct set set;
   struct buffer buffer;
};

static void
create_memory(struct machine *machine)
{
   buffer_init(&machine->gpu, &machine->buffer, BUFFER_SIZE,
               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                  VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
   const uint64_t address = machine->buffer.address;
   const uint64_t addresses[2] = {address, address + MACHINE_ATOMIC_OFFSET};
   memcpy((uint8_t *)machine->buffer.map + ADDRESSES_OFFSET, addresses, sizeof(addresses));
}

static void
create_set(struct machine *machine)
{
   static const VkDescriptorType types[MACHINE_BINDINGS] = {
      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
   };
   static const uint32_t sizes[MACHINE_BINDINGS] = {MACHINE_INPUT_SIZE, MACHINE_OUTPUT_SIZE, MACHINE_UNIFORM_SIZE,
                                                    MACHINE_ATOMIC_SIZE};
   set_init(&machine->gpu, &machine->set, MACHINE_BINDINGS, types);
   VkDeviceSize offset = 0;
   for (uint32_t i = 0; i < MACHINE_BINDINGS; offset += sizes[i++])
      set_write_buffer(&machine->gpu, &machine->set, i, types[i], machine->buffer.buffer, offset, sizes[i]);
}

struct machine *
machine_create(const char *driver, bool debug)
{
   struct machine *machine = calloc(1, sizeof(*machine));
   CHECK(machine);
   device_open(&machine->gpu, driver, debug);
   VkPhysicalDeviceSubgroupSizeControlProperties waves = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &waves};
   vkGetPhysicalDeviceProperties2(machine->gpu.physical_device, &properties);
   machine->min_wave_size = waves.minSubgroupSize;
   machine->max_wave_size = waves.maxSubgroupSize;
   create_memory(machine);
   create_set(machine);
   return machine;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t
random_word(uint64_t *state)
{
   uint64_t z = (*state += 0x9e3779b97f4a7c15);
   z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
   z = (z ^ z >> 27) * 0x94d049bb133111eb;
   return z ^ z >> 31;
}

static void
fill_memory(uint8_t *memory, const struct job *job, uint64_t *state)
{
   for (uint32_t i = 0; i < MACHINE_MEMORY_SIZE; i += sizeof(uint64_t)) {
      const uint64_t word = random_word(state);
      memcpy(memory + i, &word, sizeof(word));
   }
   memset(memory + MACHINE_ATOMIC_OFFSET + MACHINE_ATOMIC_SIZE / 2, 0, MACHINE_ATOMIC_SIZE / 2);
   for (uint32_t i = 0; i < job->resource_count; i++) {
      uint32_t *words = (uint32_t *)(memory + MACHINE_RESOURCE_OFFSET + i * RESOURCE_SIZE);
      for (uint32_t w = 0; w < RESOURCE_SIZE / sizeof(*words); w++)
         words[w] &= job->resources[i].mask;
   }
   memcpy(memory + INDIRECT_OFFSET, job->groups, sizeof(job->groups));
}

static VkResult
create_pipeline(const struct machine *machine, const struct job *job, VkPipelineLayout layout, const uint32_t *words,
                size_t word_count, VkPipeline *pipeline)
{
   const VkDevice device = machine->gpu.device;
   const VkShaderModuleCreateInfo module_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = word_count * sizeof(*words),
      .pCode = words,
   };
   VkShaderModule module;
   TRY(vkCreateShaderModule(device, &module_info, NULL, &module));

   VkSpecializationMapEntry entries[JOB_MAX_CONSTANTS];
   uint64_t values[JOB_MAX_CONSTANTS];
   for (uint32_t i = 0; i < job->constant_count; i++) {
      const struct job_constant *constant = &job->constants[i];
      entries[i] = (VkSpecializationMapEntry){constant->id, i * sizeof(values[0]), constant->size};
      values[i] = constant->bits;
   }
   const VkSpecializationInfo constants = {
      .mapEntryCount = job->constant_count,
      .pMapEntries = entries,
      .dataSize = job->constant_count * sizeof(values[0]),
      .pData = values,
   };
   const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo wave_size = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = job->wave_size,
   };
   const bool choose = job->wave_size >= machine->min_wave_size && job->wave_size <= machine->max_wave_size;
   const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .pNext = choose ? &wave_size : NULL,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
            .pSpecializationInfo = &constants,
         },
      .layout = layout,
   };
   const VkResult result = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
   vkDestroyShaderModule(device, module, NULL);
   return result;
}

static VkResult
dispatch(struct machine *machine, const struct job *job, struct resources *resources, VkPipelineLayout layout,
         VkPipeline pipeline)
{
   struct gpu *gpu = &machine->gpu;
   uint64_t state = job->seed, push[MACHINE_PUSH_SIZE / 8];
   for (uint32_t i = 0; i < MACHINE_PUSH_SIZE / 8; i++)
      push[i] = random_word(&state);
   fill_memory(machine->buffer.map, job, &state);

   gpu_begin(gpu);
   resources_load(resources, gpu);
   vkCmdBindPipeline(gpu->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdBindDescriptorSets(gpu->commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2,
                           (VkDescriptorSet[]){machine->set.set, resources->set}, 0, NULL);
   vkCmdPushConstants(gpu->commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), push);
   if (job->indirect)
      vkCmdDispatchIndirect(gpu->commands, machine->buffer.buffer, INDIRECT_OFFSET);
   else
      vkCmdDispatch(gpu->commands, job->groups[0], job->groups[1], job->groups[2]);
   resources_store(resources, gpu);
   return gpu_try_submit(gpu, gpu->commands);
}

const char *
machine_run(struct machine *machine, const struct job *job, const uint32_t *words, size_t word_count,
            const uint8_t **memory)
{
   struct gpu *gpu = &machine->gpu;
   struct resources resources;
   const char *error = NULL;
   VkPipelineLayout layout = VK_NULL_HANDLE;
   VkPipeline pipeline = VK_NULL_HANDLE;
   const VkDescriptorBufferInfo addresses = {machine->buffer.buffer, ADDRESSES_OFFSET, ADDRESSES_SIZE};
   const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, MACHINE_PUSH_SIZE};
   if (resources_init(&resources, gpu, job, machine->buffer.buffer, MACHINE_RESOURCE_OFFSET, &addresses) != VK_SUCCESS)
      error = "the resources are not created";
   const VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = 2,
      .pSetLayouts = (VkDescriptorSetLayout[]){machine->set.set_layout, resources.layout},
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &push,
   };
   if (!error && (vkCreatePipelineLayout(gpu->device, &layout_info, NULL, &layout) != VK_SUCCESS ||
                  create_pipeline(machine, job, layout, words, word_count, &pipeline) != VK_SUCCESS))
      error = "the pipeline is not created";
   const VkResult result = error ? VK_SUCCESS : dispatch(machine, job, &resources, layout, pipeline);
   if (result != VK_SUCCESS)
      error = result == VK_ERROR_DEVICE_LOST ? "the device is lost" : "does not run";
   vkDestroyPipeline(gpu->device, pipeline, NULL);
   vkDestroyPipelineLayout(gpu->device, layout, NULL);
   resources_finish(&resources, gpu);
   *memory = machine->buffer.map;
   return error;
}
