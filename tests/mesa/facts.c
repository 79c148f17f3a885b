/* SPDX-License-Identifier: MIT */
/*
 * What the fork tells of a shader besides its code: where variables live in memory, specialization constants as given,
 * the pipeline's layout.
 *
 * usage: facts CALLS.spv REDUCE.spv
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static int failures;

static void
check(bool ok, const char *what)
{
   if (!ok) {
      printf("failed: %s\n", what);
      failures++;
   }
}

/* SPIR-V specification, 3.7 and 3.49.8 */
enum { OP_VARIABLE = 59, STORAGE_WORKGROUP = 4, STORAGE_PRIVATE = 6, STORAGE_FUNCTION = 7 };

static uint32_t
storage_class_at(const struct hdb_shader *shader, uint32_t location)
{
   const uint32_t offset = shader->locations[location].spirv_offset;
   if (offset % 4 || offset + 16 > shader->spirv_size)
      return UINT32_MAX;
   const uint32_t *words = shader->spirv + offset / 4;
   return (words[0] & 0xffff) == OP_VARIABLE ? words[3] : UINT32_MAX;
}

struct seen {
   uint32_t function, private, workgroup, twice;
   bool places_clash;
};

static void
look_at_variables(const struct hdb_shader *shader, struct seen *seen)
{
   for (uint32_t i = 0; i < shader->variable_count; i++) {
      const struct hdb_variable *variable = &shader->variables[i];
      const uint32_t class = storage_class_at(shader, variable->location);
      const uint32_t wanted = variable->kind == HDB_VARIABLE_LDS ? STORAGE_WORKGROUP : class;
      seen->function += class == STORAGE_FUNCTION;
      seen->private += class == STORAGE_PRIVATE;
      seen->workgroup += class == STORAGE_WORKGROUP;
      check(class == wanted && class != UINT32_MAX, "a variable's location is that of an OpVariable of its kind");
      check(class != STORAGE_PRIVATE || !shader->locations[variable->location].inlined_at, "globals are not inlined");
      if (variable->kind == HDB_VARIABLE_SCRATCH)
         check((variable->offset + 4) * shader->wave_size <= shader->scratch_size_per_wave, "it lies in scratch");
      else
         check(variable->offset + 4 <= shader->lds_size, "it lies in LDS");

      for (uint32_t j = 0; j < i; j++) {
         const struct hdb_variable *other = &shader->variables[j];
         const struct hdb_location *a = &shader->locations[variable->location];
         const struct hdb_location *b = &shader->locations[other->location];
         seen->places_clash |= other->kind == variable->kind && other->offset == variable->offset;
         seen->twice += a->spirv_offset == b->spirv_offset && a->inlined_at != b->inlined_at;
      }
   }
}

struct expectations {
   const char *path;
   bool debug;
   struct seen seen;
   uint32_t shaders;
   struct hdb_specialization specialization[2];
   uint32_t specialization_count;
   struct hdb_binding bindings[8];
   uint32_t binding_count, push_constant_size;
};

static void
shader_created(void *user, const struct hdb_shader *shader)
{
   struct expectations *result = user;
   if (shader->flags & HDB_SHADER_INTERNAL)
      return;

   result->shaders++;
   look_at_variables(shader, &result->seen);
   result->specialization_count = shader->specialization_count;
   result->binding_count = shader->binding_count;
   result->push_constant_size = shader->push_constant_size;
   if (shader->specialization_count <= 2)
      memcpy(result->specialization, shader->specializations,
             shader->specialization_count * sizeof(*shader->specializations));
   if (shader->binding_count <= 8)
      memcpy(result->bindings, shader->bindings, shader->binding_count * sizeof(*shader->bindings));
}

static void
shader_destroyed(void *user, const struct hdb_shader *shader)
{
}

static VkDescriptorSetLayout
create_set_layout(struct driver *driver, VkDevice device, const VkDescriptorSetLayoutBinding *bindings, uint32_t count)
{
   const VkDescriptorSetLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = count,
      .pBindings = bindings,
   };
   VkDescriptorSetLayout layout = VK_NULL_HANDLE;
   check(driver->CreateDescriptorSetLayout(device, &info, NULL, &layout) == VK_SUCCESS, "vkCreateDescriptorSetLayout");
   return layout;
}

#define BINDING(number, type, count)                                              \
   {                                                                              \
      number, VK_DESCRIPTOR_TYPE_##type, count, VK_SHADER_STAGE_COMPUTE_BIT, NULL \
   }

static void
compile(struct driver *driver, const char *path, uint32_t flags, struct expectations *result)
{
   struct hdb_driver *hdb = NULL;
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .flags = flags,
      .shader_created = shader_created,
      .shader_destroyed = shader_destroyed,
      .user = result,
      .driver = &hdb,
   };
   *result = (struct expectations){.path = path};
   VkDevice device = driver_create_device(driver, &link);

   static const VkDescriptorSetLayoutBinding first[] = {
      BINDING(0, STORAGE_BUFFER, 1),
      BINDING(1, STORAGE_BUFFER_DYNAMIC, 1),
      BINDING(2, INLINE_UNIFORM_BLOCK, 32),
      BINDING(4, COMBINED_IMAGE_SAMPLER, 3),
   };
   static const VkDescriptorSetLayoutBinding second[] = {
      BINDING(0, UNIFORM_BUFFER, 1),
      BINDING(2, UNIFORM_BUFFER_DYNAMIC, 2),
   };
   const VkDescriptorSetLayout sets[] = {
      create_set_layout(driver, device, first, 4),
      create_set_layout(driver, device, second, 2),
   };
   const VkPushConstantRange push_constants = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 48};
   const VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = 2,
      .pSetLayouts = sets,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &push_constants,
   };
   VkPipelineLayout layout;
   check(driver->CreatePipelineLayout(device, &layout_info, NULL, &layout) == VK_SUCCESS, "vkCreatePipelineLayout");

   static const struct {
      uint32_t pad;
      uint64_t wide;
      uint16_t narrow;
   } data = {0xffffffff, 0x0123456789abcdef, 0x4321};
   static const VkSpecializationMapEntry entries[] = {{7, 8, 8}, {3, 16, 2}};
   const VkSpecializationInfo specialization = {2, entries, sizeof(data), &data};

   struct spirv spirv = spirv_load(path);
   const struct pipeline_options options = {.wave_size = 32, .specialization = &specialization};
   driver->DestroyPipeline(device, driver_create_pipeline(driver, device, layout, &spirv, &options), NULL);
   spirv_free(&spirv);

   driver->DestroyPipelineLayout(device, layout, NULL);
   driver->DestroyDescriptorSetLayout(device, sets[0], NULL);
   driver->DestroyDescriptorSetLayout(device, sets[1], NULL);
   driver->DestroyDevice(device, NULL);
   check(result->shaders == 1, "one shader is reported");
}

static void
check_layout(const struct expectations *result)
{
   static const struct hdb_specialization specialization[] = {{7, 8, 0x0123456789abcdef}, {3, 2, 0x4321}};
   check(result->specialization_count == 2 &&
            memcmp(result->specialization, specialization, sizeof(specialization)) == 0,
         "specialization constants are as given");

   /* Descriptors of alignment 16 come before those of 32, as the last is one of 32; dynamic ones take no room in the
    * set, they follow the 48 bytes of push constants. */
   static const struct hdb_binding bindings[] = {
      {0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 1, 0, 16},
      {0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, HDB_BINDING_DYNAMIC, 1, 48, 16},
      {0, 2, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, HDB_BINDING_INLINE, 1, 16, 32},
      {0, 4, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 0, 3, 64, 96},
      {1, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0, 1, 0, 16},
      {1, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, HDB_BINDING_DYNAMIC, 2, 64, 16},
   };
   check(result->push_constant_size == 48, "the size of the push constants");
   check(result->binding_count == 6 && memcmp(result->bindings, bindings, sizeof(bindings)) == 0,
         "bindings are where the layout has them");
}

int
main(int argc, char **argv)
{
   if (!driver_fork_path()) {
      printf("needs the fork\n");
      return 77;
   }
   if (argc != 3)
      return 2;
   setenv("RADV_FORCE_FAMILY", "navi31", 1);
   setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
   setenv("HDB_ENABLE", "1", 1);

   struct driver driver;
   driver_open(&driver, driver_fork_path());
   struct expectations result;

   /* Of calls.comp: swap() is called twice and has a variable, `calls` is a global. */
   compile(&driver, argv[1], HDB_DRIVER_COMPILE_DEBUG, &result);
   check(result.seen.function > 10 && result.seen.private == 1 && result.seen.workgroup == 0, "variables in scratch");
   check(result.seen.twice > 0, "a function inlined twice has its variables twice");
   check(!result.seen.places_clash, "each variable has a place of its own");
   check_layout(&result);

   compile(&driver, argv[1], 0, &result);
   check(result.seen.function == 0 && result.seen.private == 0, "no variables in scratch in optimised code");
   check_layout(&result);

   compile(&driver, argv[2], HDB_DRIVER_COMPILE_DEBUG, &result);
   check(result.seen.workgroup == 1, "a variable of the workgroup, compiled for debugging");
   compile(&driver, argv[2], 0, &result);
   check(result.seen.workgroup == 1, "a variable of the workgroup, optimised");

   driver_close(&driver);
   printf("%d failures\n", failures);
   return failures > 0;
}
