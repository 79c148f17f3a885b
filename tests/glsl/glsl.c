/* SPDX-License-Identifier: MIT */
/*
 * Runs shaders on the first Vulkan device and compares what they leave in their result buffer with the values that
 * their source says it must be.
 *
 * usage: glsl [--debug] [--wave 32|64] [--trace FILE] SOURCES BINARIES NAME...
 *    SOURCES/NAME.comp has the expected values, BINARIES/NAME.comp.spv is run. FILE gets what the last one has
 *    written to the trace buffer (tests/truth).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "resources.h"
#include "script.h"

struct options {
   bool compile_debug;
   uint32_t wave_size; /* 0: the driver's choice */
   const char *sources;
   const char *trace; /* NULL: nobody wants it */
};

enum outcome { RIGHT, WRONG, SKIPPED };

static VkPipeline
create_pipeline(struct gpu *gpu, const struct resources *resources, const struct script *script, const char *name,
                uint32_t wave_size)
{
   VkSpecializationMapEntry entries[SCRIPT_MAX_CONSTANTS];
   for (uint32_t i = 0; i < script->constant_count; i++) {
      const struct constant *constant = &script->constants[i];
      const uint32_t offset = (uint32_t)((const char *)&constant->bits - (const char *)script->constants);
      entries[i] = (VkSpecializationMapEntry){constant->id, offset, type_size(constant->type)};
   }
   const VkSpecializationInfo specialization = {
      .mapEntryCount = script->constant_count,
      .pMapEntries = entries,
      .dataSize = sizeof(script->constants),
      .pData = script->constants,
   };
   char module[NAME_MAX];
   snprintf(module, sizeof(module), "%s.comp", name);
   return gpu_create_pipeline_of(gpu, resources->layout, gpu_create_module(gpu, module), 0, wave_size, &specialization);
}

static VkResult
dispatch(struct gpu *gpu, const struct resources *resources, const struct script *script, VkPipeline pipeline)
{
   VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, resources->layout, 0, 1, &resources->set, 0, NULL);
   vkCmdPushConstants(commands, resources->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(resources->push),
                      resources->push);
   vkCmdDispatch(commands, script->workgroups[0], script->workgroups[1], script->workgroups[2]);
   return gpu_try_submit(gpu, commands);
}

static bool
save(const char *path, const void *data, size_t size)
{
   FILE *file = fopen(path, "wb");
   const bool written = file && fwrite(data, 1, size, file) == size;
   if (!file || fclose(file) || !written) {
      perror(path);
      return false;
   }
   return true;
}

static enum outcome
run(const struct options *options, const char *name)
{
   static struct script script;
   char path[PATH_MAX], prefix[256];
   snprintf(path, sizeof(path), "%s/%s.comp", options->sources, name);
   if (!script_read(&script, path))
      return WRONG;
   snprintf(prefix, sizeof(prefix), "%s%s", name, options->compile_debug ? " (debug)" : "");

   struct gpu gpu;
   device_open(&gpu, options->compile_debug);
   if (!gpu.is_virtual && script.lavapipe_lacks[0]) {
      printf("%s: not run: lavapipe lacks%s\n", name, script.lavapipe_lacks);
      gpu_close(&gpu);
      return SKIPPED;
   }
   struct resources resources;
   VkResult result = resources_init(&resources, &gpu, &script);
   if (result == VK_SUCCESS) {
      VkPipeline pipeline = create_pipeline(&gpu, &resources, &script, name, options->wave_size);
      result = dispatch(&gpu, &resources, &script, pipeline);
      vkDestroyPipeline(gpu.device, pipeline, NULL);
   }
   if (result == VK_SUCCESS && options->trace)
      result = save(options->trace, resources.trace.map, RESOURCE_TRACE_BYTES) ? VK_SUCCESS : VK_ERROR_UNKNOWN;
   uint32_t wrong = 1;
   if (result == VK_SUCCESS)
      wrong = script_check(&script, resources.result.map, prefix);
   else
      printf("%s: did not finish: VkResult %d\n", prefix, result);
   resources_finish(&resources, &gpu);
   gpu_close(&gpu);
   fflush(stdout);
   return wrong ? WRONG : RIGHT;
}

int
main(int argc, char **argv)
{
   struct options options = {0};
   int i = 1;
   for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
      if (!strcmp(argv[i], "--debug"))
         options.compile_debug = true;
      else if (!strcmp(argv[i], "--wave") && i + 1 < argc)
         options.wave_size = (uint32_t)atoi(argv[++i]);
      else if (!strcmp(argv[i], "--trace") && i + 1 < argc)
         options.trace = argv[++i];
   }
   if (argc - i < 3) {
      fprintf(stderr, "usage: glsl [--debug] [--wave 32|64] [--trace FILE] SOURCES BINARIES NAME...\n");
      return 2;
   }
   options.sources = argv[i++];
   gpu_shaders = argv[i++];
   setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);

   uint32_t counts[3] = {0};
   for (; i < argc; i++)
      counts[run(&options, argv[i])]++;
   printf("%u right, %u wrong, %u not run\n", counts[RIGHT], counts[WRONG], counts[SKIPPED]);
   return counts[WRONG] > 0 || counts[RIGHT] == 0;
}
