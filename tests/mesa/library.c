/* SPDX-License-Identifier: MIT */
/*
 * Stages of ray tracing that come from a pipeline library: their NIR was written to bytes and read back before it is
 * inlined into the shader that traverses. That shader's tables must still tell its places and values.
 *
 * usage: library RAYGEN.spv ANYHIT.spv
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "reflect.h"

/* SPIR-V specification, 3.49.8, 3.49.13 */
enum { OP_VARIABLE = 59, OP_BIT_REVERSE = 204 };

static int failures;

static void
check(bool ok, const char *what)
{
   if (!ok) {
      printf("failed: %s\n", what);
      failures++;
   }
}

/* What the tables of the shaders reported so far have of the any-hit stage. */
struct seen {
   const struct spirv *stage;
   uint32_t shaders; /* that have its module */
   uint32_t reverse_code, reverse_values, merges;
};

/* The opcode at a location, if that is in the module that begins at `base`. */
static uint32_t
opcode_at(const struct hdb_shader *shader, uint32_t location, uint32_t base, uint32_t size)
{
   const uint32_t offset = shader->locations[location].spirv_offset;
   return location && offset >= base && offset < base + size ? shader->spirv[offset / 4] & 0xffff : 0;
}

static void
shader_created(void *user, const struct hdb_shader *shader)
{
   struct seen *seen = user;
   const void *module =
      shader->spirv ? memmem(shader->spirv, shader->spirv_size, seen->stage->words, seen->stage->size) : NULL;
   if (!module)
      return;

   const uint32_t base = (uint32_t)((const char *)module - (const char *)shader->spirv);
   const uint32_t size = (uint32_t)seen->stage->size;
   seen->shaders++;
   for (uint32_t i = 0; i < shader->pc_location_count; i++)
      seen->reverse_code += opcode_at(shader, shader->pc_locations[i].location, base, size) == OP_BIT_REVERSE;
   for (uint32_t i = 0; i < shader->value_count; i++) {
      const struct hdb_value *value = &shader->values[i];
      const uint32_t opcode = opcode_at(shader, value->location, base, size);
      seen->reverse_values += opcode == OP_BIT_REVERSE && value->kind != HDB_VALUE_CONSTANT && value->bits == 32;
      seen->merges += opcode == OP_VARIABLE && value->merge != 0;
   }
}

static void
shader_destroyed(void *user, const struct hdb_shader *shader)
{
}

static VkPipeline
create_library(struct driver *driver, VkDevice device, VkPipelineLayout layout, const struct spirv *raygen,
               const struct spirv *any_hit, const VkRayTracingPipelineInterfaceCreateInfoKHR *interface)
{
   VkPipelineShaderStageCreateInfo stages[2] = {
      {.stage = VK_SHADER_STAGE_RAYGEN_BIT_KHR, .module = driver_create_module(driver, device, raygen)},
      {.stage = VK_SHADER_STAGE_ANY_HIT_BIT_KHR, .module = driver_create_module(driver, device, any_hit)},
   };
   VkRayTracingShaderGroupCreateInfoKHR groups[2];
   for (uint32_t i = 0; i < 2; i++) {
      stages[i].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
      stages[i].pName = "main";
      groups[i] = (VkRayTracingShaderGroupCreateInfoKHR){
         .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
         .type =
            i ? VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR : VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
         .generalShader = i ? VK_SHADER_UNUSED_KHR : 0,
         .closestHitShader = VK_SHADER_UNUSED_KHR,
         .anyHitShader = i ? 1 : VK_SHADER_UNUSED_KHR,
         .intersectionShader = VK_SHADER_UNUSED_KHR,
      };
   }

   const VkRayTracingPipelineCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
      .flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR,
      .stageCount = 2,
      .pStages = stages,
      .groupCount = 2,
      .pGroups = groups,
      .maxPipelineRayRecursionDepth = 1,
      .pLibraryInterface = interface,
      .layout = layout,
   };
   VkPipeline library = VK_NULL_HANDLE;
   check(driver->CreateRayTracingPipelinesKHR(device, NULL, NULL, 1, &info, NULL, &library) == VK_SUCCESS,
         "the library is made");
   for (uint32_t i = 0; i < 2; i++)
      driver->DestroyShaderModule(device, stages[i].module, NULL);
   return library;
}

static VkPipeline
link_library(struct driver *driver, VkDevice device, VkPipelineLayout layout, VkPipeline library,
             const VkRayTracingPipelineInterfaceCreateInfoKHR *interface)
{
   const VkPipelineLibraryCreateInfoKHR libraries = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
      .libraryCount = 1,
      .pLibraries = &library,
   };
   const VkRayTracingPipelineCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
      .maxPipelineRayRecursionDepth = 1,
      .pLibraryInfo = &libraries,
      .pLibraryInterface = interface,
      .layout = layout,
   };
   VkPipeline pipeline = VK_NULL_HANDLE;
   check(driver->CreateRayTracingPipelinesKHR(device, NULL, NULL, 1, &info, NULL, &pipeline) == VK_SUCCESS,
         "the pipeline is made");
   return pipeline;
}

int
main(int argc, char **argv)
{
   if (argc != 3)
      return 2;
   if (!driver_fork_path())
      return 77;
   setenv("RADV_FORCE_FAMILY", "navi31", 1);
   setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
   setenv("HDB_ENABLE", "1", 1);

   struct spirv raygen = spirv_load(argv[1]), any_hit = spirv_load(argv[2]);
   struct seen seen = {.stage = &any_hit};
   struct hdb_driver *hdb = NULL;
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .shader_created = shader_created,
      .shader_destroyed = shader_destroyed,
      .user = &seen,
      .driver = &hdb,
   };
   struct driver driver;
   driver_open(&driver, driver_fork_path());
   VkDevice device = driver_create_device(&driver, &link);
   struct reflected_layout layout = reflect_create_layout(&driver, device, &raygen);

   const VkRayTracingPipelineInterfaceCreateInfoKHR interface = {
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
      .maxPipelineRayPayloadSize = 16,
      .maxPipelineRayHitAttributeSize = 8,
   };
   VkPipeline library = create_library(&driver, device, layout.layout, &raygen, &any_hit, &interface);
   check(!seen.shaders, "the library alone has no code of the any-hit stage");
   VkPipeline pipeline = link_library(&driver, device, layout.layout, library, &interface);
   check(seen.shaders == 1, "one shader has the any-hit stage inlined");
   check(seen.reverse_code, "machine code is located in it");
   check(seen.reverse_values, "its results are told");
   check(seen.merges, "variables are told where control flow joins");

   driver.DestroyPipeline(device, pipeline, NULL);
   driver.DestroyPipeline(device, library, NULL);
   reflect_destroy_layout(&driver, device, &layout);
   driver.DestroyDevice(device, NULL);
   driver_close(&driver);
   spirv_free(&raygen);
   spirv_free(&any_hit);
   return failures != 0;
}
