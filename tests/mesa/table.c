/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reflect.h"

static void *
copy(const void *data, size_t size)
{
   void *result = malloc(size ? size : 1);
   return size ? memcpy(result, data, size) : result;
}

static void
shader_created(void *user, const struct hdb_shader *shader)
{
   struct table *table = user;
   if (shader->flags & HDB_SHADER_INTERNAL)
      return;

   *table = (struct table){
      .flags = shader->flags,
      .exec_size = shader->exec_size,
      .code = copy(shader->code, shader->exec_size),
      .location_count = shader->location_count,
      .locations = copy(shader->locations, shader->location_count * sizeof(*shader->locations)),
      .pc_location_count = shader->pc_location_count,
      .pc_locations = copy(shader->pc_locations, shader->pc_location_count * sizeof(*shader->pc_locations)),
      .variable_count = shader->variable_count,
      .variables = copy(shader->variables, shader->variable_count * sizeof(*shader->variables)),
      .value_count = shader->value_count,
      .values = copy(shader->values, shader->value_count * sizeof(*shader->values)),
   };
}

static void
shader_destroyed(void *user, const struct hdb_shader *shader)
{
}

struct table
table_compile(struct driver *driver, const struct spirv *spirv, uint32_t flags, uint32_t wave_size,
              struct cache *contents)
{
   struct table table = {0};
   struct hdb_driver *hdb = NULL;
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .flags = flags,
      .shader_created = shader_created,
      .shader_destroyed = shader_destroyed,
      .user = &table,
      .driver = &hdb,
   };
   VkDevice device = driver_create_device(driver, &link);
   struct reflected_layout layout = reflect_create_layout(driver, device, spirv);

   const VkPipelineCacheCreateInfo cache_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
      .initialDataSize = contents->size,
      .pInitialData = contents->data,
   };
   VkPipelineCache cache;
   VkResult result = driver->CreatePipelineCache(device, &cache_info, NULL, &cache);
   if (result == VK_SUCCESS) {
      const struct pipeline_options options = {
         .wave_size = wave_size,
         .cache = cache,
         .flags = contents->size ? VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT : 0,
      };
      VkPipeline pipeline = driver_create_pipeline(driver, device, layout.layout, spirv, &options);

      free(contents->data);
      contents->data = NULL;
      result = driver->GetPipelineCacheData(device, cache, &contents->size, NULL);
      if (result == VK_SUCCESS) {
         contents->data = malloc(contents->size);
         result = driver->GetPipelineCacheData(device, cache, &contents->size, contents->data);
      }
      driver->DestroyPipeline(device, pipeline, NULL);
      driver->DestroyPipelineCache(device, cache, NULL);
   }
   reflect_destroy_layout(driver, device, &layout);
   driver->DestroyDevice(device, NULL);

   if (result != VK_SUCCESS || !table.code) {
      fprintf(stderr, "compiling: VkResult %d, %s\n", result, table.code ? "reported" : "not reported");
      exit(1);
   }
   return table;
}

void
table_free(struct table *table)
{
   free(table->code);
   free(table->locations);
   free(table->pc_locations);
   free(table->variables);
   free(table->values);
}

bool
table_equal(const struct table *a, const struct table *b)
{
   return a->flags == b->flags && a->exec_size == b->exec_size && a->location_count == b->location_count &&
          a->pc_location_count == b->pc_location_count && a->variable_count == b->variable_count &&
          a->value_count == b->value_count &&
          memcmp(a->variables, b->variables, a->variable_count * sizeof(*a->variables)) == 0 &&
          memcmp(a->values, b->values, a->value_count * sizeof(*a->values)) == 0 &&
          memcmp(a->code, b->code, a->exec_size) == 0 &&
          memcmp(a->locations, b->locations, a->location_count * sizeof(*a->locations)) == 0 &&
          memcmp(a->pc_locations, b->pc_locations, a->pc_location_count * sizeof(*a->pc_locations)) == 0;
}

bool
table_check_shaders(int count, char **paths,
                    void (*check)(struct driver *driver, const char *path, uint32_t flags, uint32_t wave_size))
{
   if (!driver_fork_path()) {
      printf("needs the fork\n");
      return false;
   }
   setenv("RADV_FORCE_FAMILY", "navi31", 1);
   setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
   setenv("HDB_ENABLE", "1", 1);

   struct driver driver;
   driver_open(&driver, driver_fork_path());
   for (int i = 0; i < count; i++) {
      for (uint32_t wave_size = 32; wave_size <= 64; wave_size += 32) {
         check(&driver, paths[i], 0, wave_size);
         check(&driver, paths[i], HDB_DRIVER_COMPILE_DEBUG, wave_size);
      }
   }
   driver_close(&driver);
   return true;
}
