/* SPDX-License-Identifier: MIT */
#include "codes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a driver ---- */

static void
compiler_open(struct compiler *compiler, const char *path, const struct hdb_driver_link *link,
              const struct spirv *modules, int stage_count)
{
   driver_open(&compiler->driver, path);
   compiler->device = driver_create_device(&compiler->driver, link);
   compiler->layout = driver_create_layout(&compiler->driver, compiler->device);
   for (int i = 0; i < stage_count; i++)
      compiler->modules[i] = driver_create_module(&compiler->driver, compiler->device, &modules[i]);
}

static void
compiler_close(struct compiler *compiler, int stage_count)
{
   for (int i = 0; i < stage_count; i++)
      compiler->driver.DestroyShaderModule(compiler->device, compiler->modules[i], NULL);
   driver_destroy_layout(&compiler->driver, compiler->device, &compiler->layout);
   compiler->driver.DestroyDevice(compiler->device, NULL);
   driver_close(&compiler->driver);
}

void
codes_take(struct driver *driver, VkDevice device, VkPipeline pipeline, struct codes *codes)
{
   codes->count = driver_get_codes(driver, device, pipeline, codes->list, DRIVER_MAX_CODES);
   driver->DestroyPipeline(device, pipeline, NULL);
}

/* ---- comparing ---- */

struct result {
   uint32_t compared; /* those that have code */
   uint32_t different;
};

static bool
equal(const struct driver_code *a, const struct driver_code *b)
{
   return a->size == b->size && (!a->size || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static void
free_codes(struct codes *codes)
{
   for (uint32_t i = 0; i < codes->count; i++)
      free(codes->list[i].bytes);
}

static void
compare_codes(struct codes *stock, struct codes *other, const char *driver, const char *pipeline, struct result *result)
{
   for (uint32_t i = 0; i < stock->count && i < other->count; i++) {
      result->compared += stock->list[i].size != 0;
      if (!equal(&stock->list[i], &other->list[i])) {
         result->different++;
         printf("%s: pipeline %s, shader %u: %zu bytes, stock %zu\n", driver, pipeline, i, other->list[i].size,
                stock->list[i].size);
      }
   }
   if (stock->count != other->count) {
      result->different++;
      printf("%s: pipeline %s: %u shaders, stock %u\n", driver, pipeline, other->count, stock->count);
   }
   free_codes(stock);
   free_codes(other);
}

static void
compare(struct compiler *stock, struct compiler *fork, const struct codes_test *test, unsigned kind,
        VkPipelineCreateFlags2 flags, const char *name, struct result *result)
{
   struct codes expected, got;
   test->compile(stock, kind, flags, &expected);
   test->compile(fork, kind, flags, &got);
   compare_codes(&expected, &got, name, test->kinds[kind], result);
}

/* ---- the test ---- */

static void
shader_seen(void *user, const struct hdb_shader *shader)
{
}

int
codes_test_run(const struct codes_test *test, int argc, char **argv)
{
   if (!driver_fork_path() || !driver_stock_path()) {
      printf("needs the fork and the distribution's RADV\n");
      return 77;
   }
   if (argc != 1 + test->stage_count)
      return 2;
   setenv("RADV_FORCE_FAMILY", "navi31", 1);
   setenv("RADV_DEBUG", "nocache", 1); /* each driver compiles, none reads what the other wrote */
   setenv("HDB_ENABLE", "1", 1);

   struct spirv modules[CODES_MAX_STAGES];
   for (int i = 0; i < test->stage_count; i++)
      modules[i] = spirv_load(argv[1 + i]);
   struct hdb_driver *hdb = NULL;
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .shader_created = shader_seen,
      .shader_destroyed = shader_seen,
      .driver = &hdb,
   };
   struct compiler stock, fork, reporting;
   compiler_open(&stock, driver_stock_path(), NULL, modules, test->stage_count);
   compiler_open(&fork, driver_fork_path(), NULL, modules, test->stage_count);
   compiler_open(&reporting, driver_fork_path(), &link, modules, test->stage_count);
   if (!hdb) {
      printf("the fork does not report\n");
      return 1;
   }

   struct result result = {0};
   for (unsigned kind = 0; kind < test->kind_count; kind++) {
      for (int optimised = 0; optimised < 2; optimised++) {
         const VkPipelineCreateFlags2 flags = optimised ? 0 : VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT;
         compare(&stock, &fork, test, kind, flags, "fork", &result);
         compare(&stock, &reporting, test, kind, flags, "reporting", &result);
      }
   }
   printf("%u shaders compared, %u different\n", result.compared, result.different);

   compiler_close(&reporting, test->stage_count);
   compiler_close(&fork, test->stage_count);
   compiler_close(&stock, test->stage_count);
   for (int i = 0; i < test->stage_count; i++)
      spirv_free(&modules[i]);
   return result.different > 0 || result.compared < test->at_least;
}
