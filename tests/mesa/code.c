/* SPDX-License-Identifier: MIT */
/*
 * The fork's machine code is that of the stock driver of the same release, byte for byte: without the layer, and in
 * optimised mode with reporting on.
 *
 * usage: code SHADER.spv...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "reflect.h"

struct code {
   void *bytes;
   size_t size;
};

static bool
equal(const struct code *a, const struct code *b)
{
   return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Reporting: what the last shader looked like. */
static void
shader_created(void *user, const struct hdb_shader *shader)
{
   struct code *code = user;
   free(code->bytes);
   code->size = shader->code_size;
   code->bytes = malloc(code->size);
   if (code->bytes)
      memcpy(code->bytes, shader->code, code->size);
}

static void
shader_destroyed(void *user, const struct hdb_shader *shader)
{
}

struct compiler {
   struct driver driver;
   VkDevice device;
};

static void
compiler_open(struct compiler *compiler, const char *path, const struct hdb_driver_link *link)
{
   driver_open(&compiler->driver, path);
   compiler->device = driver_create_device(&compiler->driver, link);
}

static void
compiler_close(struct compiler *compiler)
{
   compiler->driver.DestroyDevice(compiler->device, NULL);
   driver_close(&compiler->driver);
}

static struct code
compile(struct compiler *compiler, const struct spirv *spirv, struct pipeline_options options, bool get_code)
{
   if (get_code)
      options.flags |= VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR;

   struct code code = {0};
   struct reflected_layout layout = reflect_create_layout(&compiler->driver, compiler->device, spirv);
   VkPipeline pipeline = driver_create_pipeline(&compiler->driver, compiler->device, layout.layout, spirv, &options);
   if (get_code)
      code.bytes = driver_get_code(&compiler->driver, compiler->device, pipeline, &code.size);
   compiler->driver.DestroyPipeline(compiler->device, pipeline, NULL);
   reflect_destroy_layout(&compiler->driver, compiler->device, &layout);
   return code;
}

int
main(int argc, char **argv)
{
   if (!driver_fork_path() || !driver_stock_path()) {
      printf("needs the fork and the distribution's RADV\n");
      return 77;
   }
   setenv("RADV_FORCE_FAMILY", "navi31", 1);
   setenv("RADV_DEBUG", "nocache", 1); /* each driver compiles, none reads what the other wrote */
   setenv("HDB_ENABLE", "1", 1);

   struct code reported = {0};
   struct hdb_driver *hdb = NULL;
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .shader_created = shader_created,
      .shader_destroyed = shader_destroyed,
      .user = &reported,
      .driver = &hdb,
   };

   struct compiler stock, fork, reporting;
   compiler_open(&stock, driver_stock_path(), NULL);
   compiler_open(&fork, driver_fork_path(), NULL);
   compiler_open(&reporting, driver_fork_path(), &link);
   if (!hdb || hdb->version != HDB_DRIVER_VERSION) {
      printf("the fork does not report\n");
      return 1;
   }

   static const struct pipeline_options variants[] = {
      {.wave_size = 64},
      {.wave_size = 32},
      {.wave_size = 64, .flags = VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT},
      {.wave_size = 32, .flags = VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT},
   };
   int compared = 0, failed = 0;
   size_t bytes = 0;

   for (int i = 1; i < argc; i++) {
      struct spirv spirv = spirv_load(argv[i]);
      for (size_t v = 0; v < sizeof(variants) / sizeof(variants[0]); v++) {
         struct code expected = compile(&stock, &spirv, variants[v], true);
         struct code quiet = compile(&fork, &spirv, variants[v], true);
         reported.size = 0;
         compile(&reporting, &spirv, variants[v], false);

         compared++;
         bytes += expected.size;
         if (!equal(&expected, &quiet) || !equal(&expected, &reported)) {
            failed++;
            printf("%s, wave%u%s: stock %zu bytes; fork %zu bytes, %s; reporting %zu bytes, %s\n", argv[i],
                   variants[v].wave_size, variants[v].flags ? " without optimisation" : "", expected.size, quiet.size,
                   equal(&expected, &quiet) ? "equal" : "DIFFERENT", reported.size,
                   equal(&expected, &reported) ? "equal" : "DIFFERENT");
         }
         free(expected.bytes);
         free(quiet.bytes);
      }
      spirv_free(&spirv);
   }
   printf("%d shaders compared, %zu bytes, %d different\n", compared, bytes, failed);

   compiler_close(&reporting);
   compiler_close(&fork);
   compiler_close(&stock);
   free(reported.bytes);
   return failed > 0 || compared == 0;
}
