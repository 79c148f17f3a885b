/* SPDX-License-Identifier: MIT */
/*
 * Runs shaders on the first Vulkan device and compares what they leave in their result buffer with the values that
 * their source says it must be.
 *
 * usage: glsl [--debug] [--wave 32|64] SOURCES BINARIES NAME...
 *    SOURCES/NAME.comp has the expected values, BINARIES/NAME.comp.spv is run.
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
   const char *sources, *binaries;
};

enum outcome { RIGHT, WRONG, SKIPPED };

static VkShaderModule
create_module(const struct device *device, const char *path)
{
   FILE *file = fopen(path, "rb");
   if (!file) {
      perror(path);
      exit(1);
   }
   static uint32_t words[1 << 16];
   const VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = fread(words, 1, sizeof(words), file),
      .pCode = words,
   };
   fclose(file);
   VkShaderModule module;
   DEVICE_CALL(vkCreateShaderModule(device->device, &info, NULL, &module));
   return module;
}

static VkPipeline
create_pipeline(const struct device *device, const struct resources *resources, const struct script *script,
                VkShaderModule module, uint32_t wave_size)
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
   const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = wave_size,
   };
   const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .pNext = wave_size ? &size_info : NULL,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
            .pSpecializationInfo = &specialization,
         },
      .layout = resources->layout,
   };
   VkPipeline pipeline;
   DEVICE_CALL(vkCreateComputePipelines(device->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   return pipeline;
}

static VkResult
dispatch(const struct device *device, const struct resources *resources, const struct script *script,
         VkPipeline pipeline)
{
   VkCommandBuffer commands = device_begin(device);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, resources->layout, 0, 1, &resources->set, 0, NULL);
   vkCmdPushConstants(commands, resources->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(resources->push),
                      resources->push);
   vkCmdDispatch(commands, script->workgroups[0], script->workgroups[1], script->workgroups[2]);
   const VkMemoryBarrier to_host = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                        NULL, 0, NULL);
   return device_submit(device, commands);
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

   struct device device;
   device_open(&device, options->compile_debug);
   if (!device.is_virtual && script.lavapipe_lacks[0]) {
      printf("%s: not run: lavapipe lacks%s\n", name, script.lavapipe_lacks);
      device_close(&device);
      return SKIPPED;
   }
   struct resources resources;
   VkResult result = resources_init(&resources, &device, &script);
   if (result == VK_SUCCESS) {
      snprintf(path, sizeof(path), "%s/%s.comp.spv", options->binaries, name);
      VkShaderModule module = create_module(&device, path);
      VkPipeline pipeline = create_pipeline(&device, &resources, &script, module, options->wave_size);
      result = dispatch(&device, &resources, &script, pipeline);
      vkDestroyPipeline(device.device, pipeline, NULL);
      vkDestroyShaderModule(device.device, module, NULL);
   }
   uint32_t wrong = 1;
   if (result == VK_SUCCESS)
      wrong = script_check(&script, resources.result.map, prefix);
   else
      printf("%s: did not finish: VkResult %d\n", prefix, result);
   resources_finish(&resources, &device);
   device_close(&device);
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
   }
   if (argc - i < 3) {
      fprintf(stderr, "usage: glsl [--debug] [--wave 32|64] SOURCES BINARIES NAME...\n");
      return 2;
   }
   options.sources = argv[i++];
   options.binaries = argv[i++];
   setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);

   uint32_t counts[3] = {0};
   for (; i < argc; i++)
      counts[run(&options, argv[i])]++;
   printf("%u right, %u wrong, %u not run\n", counts[RIGHT], counts[WRONG], counts[SKIPPED]);
   return counts[WRONG] > 0 || counts[RIGHT] == 0;
}
