/* SPDX-License-Identifier: MIT */
#include "side.h"

enum { DATA_BYTES = 8 << 20, VALUES_BYTES = 32 << 20 };

uint32_t
binding_of(unsigned l)
{
   return l == STORAGE_IMAGE || l == STORAGE_BUFFER ? 1 : 2;
}

VkDescriptorType
descriptor_type_of(unsigned l)
{
   static const VkDescriptorType types[LAYOUTS] = {
      VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
      VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
      VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
      VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
   };
   return types[l];
}

static void
create_layout(struct side *side, unsigned l)
{
   struct device *device = &side->device;
   const VkDescriptorSetLayoutBinding bindings[2] = {
      {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
      {binding_of(l), descriptor_type_of(l), 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
   };
   const VkDescriptorSetLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = 2,
      .pBindings = bindings,
   };
   CALL(device->CreateDescriptorSetLayout(device->device, &info, NULL, &side->set_layout[l]));
   side->layout[l] = device_create_layout(device, side->set_layout[l]);
}

static void
create_sets(struct side *side)
{
   struct device *device = &side->device;
   static const VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4},       {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1},
      {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1},        {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1},
      {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1},
   };
   const VkDescriptorPoolCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = LAYOUTS,
      .poolSizeCount = sizeof sizes / sizeof *sizes,
      .pPoolSizes = sizes,
   };
   CALL(device->CreateDescriptorPool(device->device, &info, NULL, &side->pool));
   const VkDescriptorSetAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = side->pool,
      .descriptorSetCount = LAYOUTS,
      .pSetLayouts = side->set_layout,
   };
   CALL(device->AllocateDescriptorSets(device->device, &allocate, side->set));
   for (unsigned l = 0; l < LAYOUTS; l++) {
      const VkWriteDescriptorSet write = {
         .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstSet = side->set[l],
         .descriptorCount = 1,
         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
         .pBufferInfo = &(VkDescriptorBufferInfo){side->values.buffer, 0, VK_WHOLE_SIZE},
      };
      device->UpdateDescriptorSets(device->device, 1, &write, 0, NULL);
   }
}

void
side_open(struct side *side, const char *path)
{
   device_open(&side->device, path);
   buffer_init(&side->device, &side->data, DATA_BYTES);
   buffer_init(&side->device, &side->values, VALUES_BYTES);
   for (unsigned l = 0; l < LAYOUTS; l++)
      create_layout(side, l);
   create_sets(side);
}

void
side_close(struct side *side)
{
   struct device *device = &side->device;
   device->DestroyDescriptorPool(device->device, side->pool, NULL);
   for (unsigned l = 0; l < LAYOUTS; l++) {
      device->DestroyPipelineLayout(device->device, side->layout[l], NULL);
      device->DestroyDescriptorSetLayout(device->device, side->set_layout[l], NULL);
   }
   buffer_finish(device, &side->data);
   buffer_finish(device, &side->values);
   device_close(device);
}
