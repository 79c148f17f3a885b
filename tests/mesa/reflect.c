/* SPDX-License-Identifier: MIT */
#include "reflect.h"

#include <stdio.h>
#include <stdlib.h>

/* SPIR-V specification, 3.7, 3.20 and 3.49 */
enum {
   OP_TYPE_IMAGE = 25,
   OP_TYPE_SAMPLER = 26,
   OP_TYPE_SAMPLED_IMAGE = 27,
   OP_TYPE_ARRAY = 28,
   OP_TYPE_RUNTIME_ARRAY = 29,
   OP_TYPE_POINTER = 32,
   OP_CONSTANT = 43,
   OP_SPEC_CONSTANT = 50,
   OP_VARIABLE = 59,
   OP_DECORATE = 71,
   OP_TYPE_ACCELERATION_STRUCTURE = 5341,

   STORAGE_UNIFORM_CONSTANT = 0,
   STORAGE_BUFFER = 12,

   DECORATION_BUFFER_BLOCK = 3,
   DECORATION_BINDING = 33,
   DECORATION_SET = 34,

   DIM_BUFFER = 5,
};

#define MAX_BINDINGS 32
#define UNSIZED_COUNT 16

/* Where ids are defined and how they are decorated. */
struct ids {
   const uint32_t **definitions;
   uint32_t *sets, *bindings;
   bool *is_bound, *is_buffer_block;
};

static const uint32_t *
next(const uint32_t *w)
{
   return w + (w[0] >> 16);
}

static struct ids
find_ids(const struct spirv *spirv)
{
   const uint32_t bound = spirv->words[3];
   struct ids ids = {
      .definitions = calloc(bound, sizeof(*ids.definitions)),
      .sets = calloc(bound, sizeof(*ids.sets)),
      .bindings = calloc(bound, sizeof(*ids.bindings)),
      .is_bound = calloc(bound, sizeof(*ids.is_bound)),
      .is_buffer_block = calloc(bound, sizeof(*ids.is_buffer_block)),
   };

   for (const uint32_t *w = spirv->words + 5; w < spirv->words + spirv->size / 4; w = next(w)) {
      const uint32_t op = w[0] & 0xffff;
      if ((op >= OP_TYPE_IMAGE && op <= OP_TYPE_POINTER) || op == OP_TYPE_ACCELERATION_STRUCTURE) {
         ids.definitions[w[1]] = w;
      } else if (op == OP_CONSTANT || op == OP_SPEC_CONSTANT || op == OP_VARIABLE) {
         ids.definitions[w[2]] = w;
      } else if (op == OP_DECORATE && w[2] == DECORATION_SET) {
         ids.sets[w[1]] = w[3];
      } else if (op == OP_DECORATE && w[2] == DECORATION_BINDING) {
         ids.bindings[w[1]] = w[3];
         ids.is_bound[w[1]] = true;
      } else if (op == OP_DECORATE && w[2] == DECORATION_BUFFER_BLOCK) {
         ids.is_buffer_block[w[1]] = true;
      }
   }
   return ids;
}

static void
free_ids(struct ids *ids)
{
   free(ids->definitions);
   free(ids->sets);
   free(ids->bindings);
   free(ids->is_bound);
   free(ids->is_buffer_block);
}

static VkDescriptorType
handle_type(const struct ids *ids, const uint32_t *type)
{
   switch (type[0] & 0xffff) {
   case OP_TYPE_SAMPLER:
      return VK_DESCRIPTOR_TYPE_SAMPLER;
   case OP_TYPE_SAMPLED_IMAGE:
      return ids->definitions[type[2]][3] == DIM_BUFFER ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
                                                        : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
   case OP_TYPE_IMAGE: {
      const bool is_storage = type[7] == 2, is_buffer = type[3] == DIM_BUFFER;
      if (is_buffer)
         return is_storage ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
      return is_storage ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
   }
   default:
      return VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR;
   }
}

static VkDescriptorSetLayoutBinding
make_binding(const struct ids *ids, const uint32_t *variable)
{
   const uint32_t id = variable[2];
   const uint32_t *type = ids->definitions[ids->definitions[variable[1]][3]];
   VkDescriptorSetLayoutBinding binding = {
      .binding = ids->bindings[id],
      .descriptorCount = 1,
      .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
   };

   while ((type[0] & 0xffff) == OP_TYPE_ARRAY || (type[0] & 0xffff) == OP_TYPE_RUNTIME_ARRAY) {
      binding.descriptorCount *= (type[0] & 0xffff) == OP_TYPE_ARRAY ? ids->definitions[type[3]][3] : UNSIZED_COUNT;
      type = ids->definitions[type[2]];
   }

   const bool is_storage = variable[3] == STORAGE_BUFFER || ids->is_buffer_block[type[1]];
   if (variable[3] == STORAGE_UNIFORM_CONSTANT)
      binding.descriptorType = handle_type(ids, type);
   else
      binding.descriptorType = is_storage ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
   return binding;
}

struct reflected_layout
reflect_create_layout(struct driver *driver, VkDevice device, const struct spirv *spirv)
{
   struct ids ids = find_ids(spirv);
   VkDescriptorSetLayoutBinding bindings[REFLECT_SETS][MAX_BINDINGS];
   uint32_t counts[REFLECT_SETS] = {0};
   struct reflected_layout layout = {0};

   for (const uint32_t *w = spirv->words + 5; w < spirv->words + spirv->size / 4; w = next(w)) {
      if ((w[0] & 0xffff) != OP_VARIABLE || !ids.is_bound[w[2]])
         continue;

      const uint32_t set = ids.sets[w[2]];
      const VkDescriptorSetLayoutBinding binding = make_binding(&ids, w);
      bool is_known = false; /* two variables may share a binding */
      for (uint32_t i = 0; set < REFLECT_SETS && i < counts[set]; i++)
         is_known |= bindings[set][i].binding == binding.binding;
      if (is_known)
         continue;
      if (set >= REFLECT_SETS || counts[set] == MAX_BINDINGS) {
         fprintf(stderr, "too many descriptors\n");
         exit(1);
      }
      bindings[set][counts[set]++] = binding;
      if (layout.set_count < set + 1)
         layout.set_count = set + 1;
   }
   free_ids(&ids);

   VkResult result = VK_SUCCESS;
   for (uint32_t i = 0; i < layout.set_count && result == VK_SUCCESS; i++) {
      const VkDescriptorSetLayoutCreateInfo info = {
         .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
         .bindingCount = counts[i],
         .pBindings = bindings[i],
      };
      result = driver->CreateDescriptorSetLayout(device, &info, NULL, &layout.sets[i]);
   }

   const VkPushConstantRange push_constants = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 128};
   const VkPipelineLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = layout.set_count,
      .pSetLayouts = layout.sets,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &push_constants,
   };
   if (result == VK_SUCCESS)
      result = driver->CreatePipelineLayout(device, &info, NULL, &layout.layout);
   if (result != VK_SUCCESS) {
      fprintf(stderr, "pipeline layout: VkResult %d\n", result);
      exit(1);
   }
   return layout;
}

void
reflect_destroy_layout(struct driver *driver, VkDevice device, struct reflected_layout *layout)
{
   driver->DestroyPipelineLayout(device, layout->layout, NULL);
   for (uint32_t i = 0; i < layout->set_count; i++)
      driver->DestroyDescriptorSetLayout(device, layout->sets[i], NULL);
   *layout = (struct reflected_layout){0};
}
