/* SPDX-License-Identifier: MIT */
#include "shader.h"

const char *shader_directory;

VkShaderModule
shader_create(struct gpu *gpu, const char *name)
{
   char path[4096];
   static uint32_t words[4096];
   snprintf(path, sizeof(path), "%s/%s.spv", shader_directory, name);
   FILE *file = fopen(path, "rb");
   if (!file)
      perror(path);
   CHECK(file);
   const size_t size = fread(words, 1, sizeof(words), file);
   CHECK(size && feof(file));
   fclose(file);
   const VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = size,
      .pCode = words,
   };
   VkShaderModule module;
   CALL(vkCreateShaderModule(gpu->device, &info, NULL, &module));
   return module;
}
