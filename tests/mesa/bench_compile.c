/* SPDX-License-Identifier: MIT */
/*
 * How long the fork takes to compile shaders, in milliseconds of processor time, best of some runs, and how much memory
 * the process needs, in kilobytes: without reporting, with it, or compiling for debugging.
 *
 * usage: bench-compile off|on|debug SHADER.spv...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "driver.h"
#include "reflect.h"

#define RUNS 20

static void
shader_created(void *user, const struct hdb_shader *shader)
{
}

static void
shader_destroyed(void *user, const struct hdb_shader *shader)
{
}

static double
milliseconds(void)
{
   struct timespec time;
   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
   return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static double
compile(struct driver *driver, VkDevice device, const char *path)
{
   struct spirv spirv = spirv_load(path);
   struct reflected_layout layout = reflect_create_layout(driver, device, &spirv);
   const struct pipeline_options options = {.wave_size = 64};

   const double start = milliseconds();
   VkPipeline pipeline = driver_create_pipeline(driver, device, layout.layout, &spirv, &options);
   const double time = milliseconds() - start;

   driver->DestroyPipeline(device, pipeline, NULL);
   reflect_destroy_layout(driver, device, &layout);
   spirv_free(&spirv);
   return time;
}

int
main(int argc, char **argv)
{
   if (argc < 3 || !driver_fork_path())
      return 2;
   setenv("RADV_FORCE_FAMILY", "navi31", 1);
   setenv("RADV_DEBUG", "nocache", 1);
   setenv("HDB_ENABLE", "1", 1);

   struct hdb_driver *hdb = NULL;
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .flags = strcmp(argv[1], "debug") == 0 ? HDB_DRIVER_COMPILE_DEBUG : 0,
      .shader_created = shader_created,
      .shader_destroyed = shader_destroyed,
      .driver = &hdb,
   };
   struct driver driver;
   driver_open(&driver, driver_fork_path());
   VkDevice device = driver_create_device(&driver, strcmp(argv[1], "off") == 0 ? NULL : &link);

   double best = 0;
   for (int run = 0; run < RUNS; run++) {
      double total = 0;
      for (int i = 2; i < argc; i++)
         total += compile(&driver, device, argv[i]);
      if (run == 0 || total < best)
         best = total;
   }

   struct rusage usage;
   getrusage(RUSAGE_SELF, &usage);
   printf("ms %.1f\nkb %ld\n", best, usage.ru_maxrss);
   driver.DestroyDevice(device, NULL);
   driver_close(&driver);
   return 0;
}
