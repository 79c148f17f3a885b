/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS 3
#define BUFFER_SIZE (RUN_BUFFER_WORDS * sizeof(uint32_t))

#define CALL(call)                                                 \
   do {                                                            \
      const VkResult call_result = (call);                         \
      if (call_result != VK_SUCCESS) {                             \
         fprintf(stderr, "%s: VkResult %d\n", #call, call_result); \
         exit(1);                                                  \
      }                                                            \
   } while (0)

uint32_t
run_initial_word(uint32_t index)
{
   return index * 2654435761u >> 25;
}

static void
ignore_shader(void *user, const struct hdb_shader *shader)
{
}

/* One piece of memory for the storage buffers and the uniform buffer behind them. */
struct memory {
   VkBuffer buffer;
   VkDeviceMemory memory;
   void *map;
};

static struct memory
create_memory(struct driver *driver, VkDevice device)
{
   struct memory memory;
   const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = (RUN_BUFFERS + 1) * BUFFER_SIZE,
      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
   };
   CALL(driver->CreateBuffer(device, &info, NULL, &memory.buffer));

   VkMemoryRequirements requirements;
   driver->GetBufferMemoryRequirements(device, memory.buffer, &requirements);
   VkPhysicalDeviceMemoryProperties properties;
   driver->GetPhysicalDeviceMemoryProperties(driver_first_device(driver), &properties);
   const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
   uint32_t type = 0;
   while ((properties.memoryTypes[type].propertyFlags & wanted) != wanted || !(requirements.memoryTypeBits >> type & 1))
      type++;

   const VkMemoryAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .allocationSize = requirements.size,
      .memoryTypeIndex = type,
   };
   CALL(driver->AllocateMemory(device, &allocate, NULL, &memory.memory));
   CALL(driver->BindBufferMemory(device, memory.buffer, memory.memory, 0));
   CALL(driver->MapMemory(device, memory.memory, 0, VK_WHOLE_SIZE, 0, &memory.map));

   uint32_t *words = memory.map;
   for (uint32_t i = 0; i < RUN_WORDS; i++)
      words[i] = run_initial_word(i);
   const uint32_t parameters[2] = {20, 7};
   memcpy(words + RUN_WORDS, parameters, sizeof(parameters));
   return memory;
}

static VkDescriptorPool
create_sets(struct driver *driver, VkDevice device, const struct pipeline_layout *layout, VkBuffer buffer,
            VkDescriptorSet *sets)
{
   const VkDescriptorPoolSize sizes[3] = {
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, RUN_BUFFERS},
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},
      {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 2},
   };
   const VkDescriptorPoolCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = 2,
      .poolSizeCount = 3,
      .pPoolSizes = sizes,
   };
   VkDescriptorPool pool;
   CALL(driver->CreateDescriptorPool(device, &info, NULL, &pool));
   const VkDescriptorSetAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = pool,
      .descriptorSetCount = 2,
      .pSetLayouts = layout->sets,
   };
   CALL(driver->AllocateDescriptorSets(device, &allocate, sets));

   for (uint32_t i = 0; i <= RUN_BUFFERS; i++) {
      const VkDescriptorBufferInfo range = {buffer, i * BUFFER_SIZE, BUFFER_SIZE};
      const bool uniform = i == RUN_BUFFERS;
      const VkWriteDescriptorSet write = {
         .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstSet = sets[uniform],
         .dstBinding = uniform ? 0 : i,
         .descriptorCount = 1,
         .descriptorType = uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
         .pBufferInfo = &range,
      };
      driver->UpdateDescriptorSets(device, 1, &write, 0, NULL);
   }
   return pool;
}

static void
submit(struct driver *driver, VkDevice device, VkPipeline pipeline, VkPipelineLayout layout,
       const VkDescriptorSet *sets)
{
   const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
   VkCommandPool pool;
   CALL(driver->CreateCommandPool(device, &pool_info, NULL, &pool));
   const VkCommandBufferAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1,
   };
   VkCommandBuffer commands;
   CALL(driver->AllocateCommandBuffers(device, &allocate, &commands));

   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   CALL(driver->BeginCommandBuffer(commands, &begin));
   driver->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   driver->CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2, sets, 0, NULL);
   driver->CmdDispatch(commands, GROUPS, 1, 1);
   CALL(driver->EndCommandBuffer(commands));

   VkQueue queue;
   driver->GetDeviceQueue(device, 0, 0, &queue);
   const VkSubmitInfo submit_info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
   };
   CALL(driver->QueueSubmit(queue, 1, &submit_info, VK_NULL_HANDLE));
   CALL(driver->QueueWaitIdle(queue));
   driver->DestroyCommandPool(device, pool, NULL);
}

void
run_shader(struct driver *driver, const struct spirv *spirv, uint32_t link_flags, uint32_t wave_size,
           struct run_result *result)
{
   struct hdb_driver *hdb = NULL;
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .flags = link_flags,
      .shader_created = ignore_shader,
      .shader_destroyed = ignore_shader,
      .driver = &hdb,
   };
   VkDevice device = driver_create_device(driver, &link);
   struct pipeline_layout layout = driver_create_layout(driver, device);
   const struct pipeline_options options = {.wave_size = wave_size};
   VkPipeline pipeline = driver_create_pipeline(driver, device, layout.layout, spirv, &options);

   struct memory memory = create_memory(driver, device);
   VkDescriptorSet sets[2];
   VkDescriptorPool pool = create_sets(driver, device, &layout, memory.buffer, sets);
   submit(driver, device, pipeline, layout.layout, sets);
   memcpy(result->words, memory.map, sizeof(result->words));

   driver->DestroyDescriptorPool(device, pool, NULL);
   driver->DestroyBuffer(device, memory.buffer, NULL);
   driver->FreeMemory(device, memory.memory, NULL);
   driver->DestroyPipeline(device, pipeline, NULL);
   driver_destroy_layout(driver, device, &layout);
   driver->DestroyDevice(device, NULL);
}
