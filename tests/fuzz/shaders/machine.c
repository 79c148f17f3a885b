/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

#include "device.h"

/* What the machine itself puts behind the memory that is compared. */
enum {
   ADDRESSES_OFFSET = MACHINE_MEMORY_SIZE, /* those of the bindings 0 and 3, in binding 0 of set 1 */
   ADDRESSES_SIZE = 256,
   INDIRECT_OFFSET = ADDRESSES_OFFSET + ADDRESSES_SIZE,
   BUFFER_SIZE = INDIRECT_OFFSET + 256,
};

struct machine {
   struct device device;
   VkDescriptorSetLayout set_layout;
   VkDescriptorSet set;
   VkBuffer buffer;
   uint8_t *memory;
};

static VkResult
create_memory(struct machine *machine)
{
   struct device *device = &machine->device;
   const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = BUFFER_SIZE,
      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
               VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
   };
   TRY(device->CreateBuffer(device->device, &info, NULL, &machine->buffer));
   VkMemoryRequirements requirements;
   device->GetBufferMemoryRequirements(device->device, machine->buffer, &requirements);
   VkDeviceMemory memory;
   TRY(device_allocate(device, &requirements,
                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, &memory));
   TRY(device->BindBufferMemory(device->device, machine->buffer, memory, 0));
   TRY(device->MapMemory(device->device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&machine->memory));
   const VkBufferDeviceAddressInfo address_info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
      .buffer = machine->buffer,
   };
   const uint64_t address = device->GetBufferDeviceAddress(device->device, &address_info);
   const uint64_t addresses[2] = {address, address + MACHINE_ATOMIC_OFFSET};
   memcpy(machine->memory + ADDRESSES_OFFSET, addresses, sizeof(addresses));
   return VK_SUCCESS;
}

static const struct {
   VkDescriptorType type;
   uint32_t size;
} bindings[MACHINE_BINDINGS] = {
   {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MACHINE_INPUT_SIZE},
   {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MACHINE_OUTPUT_SIZE},
   {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MACHINE_UNIFORM_SIZE},
   {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MACHINE_ATOMIC_SIZE},
};

static VkResult
create_set(struct machine *machine)
{
   struct device *device = &machine->device;
   VkDescriptorSetLayoutBinding layouts[MACHINE_BINDINGS];
   for (uint32_t i = 0; i < MACHINE_BINDINGS; i++) {
      layouts[i] = (VkDescriptorSetLayoutBinding){
         .binding = i,
         .descriptorType = bindings[i].type,
         .descriptorCount = 1,
         .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
      };
   }
   const VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = MACHINE_BINDINGS,
      .pBindings = layouts,
   };
   TRY(device->CreateDescriptorSetLayout(device->device, &set_info, NULL, &machine->set_layout));

   const VkDescriptorPoolSize sizes[2] = {
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MACHINE_BINDINGS},
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MACHINE_BINDINGS},
   };
   const VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = 1,
      .poolSizeCount = 2,
      .pPoolSizes = sizes,
   };
   VkDescriptorPool pool;
   TRY(device->CreateDescriptorPool(device->device, &pool_info, NULL, &pool));
   const VkDescriptorSetAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &machine->set_layout,
   };
   TRY(device->AllocateDescriptorSets(device->device, &allocate, &machine->set));
   VkDeviceSize offset = 0;
   for (uint32_t i = 0; i < MACHINE_BINDINGS; offset += bindings[i++].size) {
      const VkDescriptorBufferInfo range = {machine->buffer, offset, bindings[i].size};
      const VkWriteDescriptorSet write = {
         .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstSet = machine->set,
         .dstBinding = i,
         .descriptorCount = 1,
         .descriptorType = bindings[i].type,
         .pBufferInfo = &range,
      };
      device->UpdateDescriptorSets(device->device, 1, &write, 0, NULL);
   }
   return VK_SUCCESS;
}

struct machine *
machine_create(const char *driver, bool debug)
{
   struct machine *machine = calloc(1, sizeof(*machine));
   if (machine && device_init(&machine->device, driver, debug) == VK_SUCCESS && create_memory(machine) == VK_SUCCESS &&
       create_set(machine) == VK_SUCCESS)
      return machine;
   free(machine); /* the caller ends: the driver's own objects go with the process */
   return NULL;
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
create_pipeline(struct device *device, const struct job *job, VkPipelineLayout layout, const uint32_t *words,
                size_t word_count, VkPipeline *pipeline)
{
   const VkShaderModuleCreateInfo module_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = word_count * sizeof(*words),
      .pCode = words,
   };
   VkShaderModule module;
   TRY(device->CreateShaderModule(device->device, &module_info, NULL, &module));

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
   const bool choose = job->wave_size >= device->min_wave_size && job->wave_size <= device->max_wave_size;
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
   const VkResult result = device->CreateComputePipelines(device->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
   device->DestroyShaderModule(device->device, module, NULL);
   return result;
}

static VkResult
submit(struct device *device)
{
   VkResult result = device->EndCommandBuffer(device->commands);
   const VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &device->commands,
   };
   if (result == VK_SUCCESS)
      result = device->QueueSubmit(device->queue, 1, &info, VK_NULL_HANDLE);
   return result == VK_SUCCESS ? device->QueueWaitIdle(device->queue) : result;
}

static VkResult
dispatch(struct machine *machine, const struct job *job, struct resources *resources, VkPipelineLayout layout,
         VkPipeline pipeline)
{
   struct device *device = &machine->device;
   uint64_t state = job->seed, push[MACHINE_PUSH_SIZE / 8];
   for (uint32_t i = 0; i < MACHINE_PUSH_SIZE / 8; i++)
      push[i] = random_word(&state);
   fill_memory(machine->memory, job, &state);

   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   device->BeginCommandBuffer(device->commands, &begin);
   resources_load(resources, device);
   device->CmdBindPipeline(device->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   device->CmdBindDescriptorSets(device->commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2,
                                 (VkDescriptorSet[]){machine->set, resources->set}, 0, NULL);
   device->CmdPushConstants(device->commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), push);
   if (job->indirect)
      device->CmdDispatchIndirect(device->commands, machine->buffer, INDIRECT_OFFSET);
   else
      device->CmdDispatch(device->commands, job->groups[0], job->groups[1], job->groups[2]);
   resources_store(resources, device);
   return submit(device);
}

const char *
machine_run(struct machine *machine, const struct job *job, const uint32_t *words, size_t word_count,
            const uint8_t **memory)
{
   struct device *device = &machine->device;
   struct resources resources;
   const char *error = NULL;
   VkPipelineLayout layout = VK_NULL_HANDLE;
   VkPipeline pipeline = VK_NULL_HANDLE;
   const VkDescriptorBufferInfo addresses = {machine->buffer, ADDRESSES_OFFSET, ADDRESSES_SIZE};
   const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, MACHINE_PUSH_SIZE};
   if (resources_init(&resources, device, job, machine->buffer, MACHINE_RESOURCE_OFFSET, &addresses) != VK_SUCCESS)
      error = "the resources are not created";
   const VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = 2,
      .pSetLayouts = (VkDescriptorSetLayout[]){machine->set_layout, resources.layout},
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &push,
   };
   if (!error && (device->CreatePipelineLayout(device->device, &layout_info, NULL, &layout) != VK_SUCCESS ||
                  create_pipeline(device, job, layout, words, word_count, &pipeline) != VK_SUCCESS))
      error = "the pipeline is not created";
   const VkResult result = error ? VK_SUCCESS : dispatch(machine, job, &resources, layout, pipeline);
   if (result != VK_SUCCESS)
      error = result == VK_ERROR_DEVICE_LOST ? "the device is lost" : "does not run";
   device->DestroyPipeline(device->device, pipeline, NULL);
   device->DestroyPipelineLayout(device->device, layout, NULL);
   resources_finish(&resources, device);
   *memory = machine->memory;
   return error;
}
