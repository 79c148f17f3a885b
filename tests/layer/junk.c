/* SPDX-License-Identifier: MIT */
/*
 * Gives the driver what is no SPIR-V, in each of the ways there are. With the layer, every such call fails and says why
 * in one line; without it drivers crash.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "empty.comp.h"

#define MAX_WORDS 1024

struct junk {
   uint32_t words[MAX_WORDS];
   size_t size;
};

static struct sample sample;
static VkPipelineLayout layout;
static uint32_t right, total;

static struct junk
good_module(void)
{
   struct junk junk = {.size = sizeof(empty_spirv)};
   memcpy(junk.words, empty_spirv, sizeof(empty_spirv));
   return junk;
}

/* What a call wrote to standard error. */
static int said, stderr_before;

static void
begin_listening(void)
{
   char name[] = "/tmp/hdb-junk-XXXXXX";
   fflush(stderr);
   said = mkstemp(name);
   if (said < 0)
      exit(2);
   unlink(name);
   stderr_before = dup(2);
   dup2(said, 2);
}

static void
end_listening(char *text, size_t size)
{
   fflush(stderr);
   dup2(stderr_before, 2);
   close(stderr_before);
   ssize_t n = pread(said, text, size - 1, 0);
   text[n < 0 ? 0 : n] = '\0';
   close(said);
}

static void
expect(const char *case_name, VkResult result, bool null, const char *text, const char *call, const char *reason)
{
   const char *newline = strchr(text, '\n');
   bool good = result < 0 && null && newline && !newline[1] && strstr(text, call) && strstr(text, reason);
   if (!good)
      fprintf(stderr, "%s, %s: VkResult %d, object %s, said: %s\n", case_name, call, result, null ? "null" : "made",
              text);
   right += good;
   total++;
}

static VkComputePipelineCreateInfo
pipeline_info(const VkShaderModuleCreateInfo *module)
{
   return (VkComputePipelineCreateInfo){
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .pNext = module,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .pName = "main",
         },
      .layout = layout,
   };
}

static void
try_junk(const char *name, const struct junk *junk, const char *reason)
{
   char text[512];
   VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = junk->size,
      .pCode = junk->words,
   };
   VkShaderModule module;
   begin_listening();
   VkResult result = vkCreateShaderModule(sample.device, &info, NULL, &module);
   end_listening(text, sizeof(text));
   expect(name, result, !module, text, "vkCreateShaderModule", reason);

   VkComputePipelineCreateInfo pipeline = pipeline_info(&info);
   VkPipeline made;
   begin_listening();
   result = vkCreateComputePipelines(sample.device, VK_NULL_HANDLE, 1, &pipeline, NULL, &made);
   end_listening(text, sizeof(text));
   expect(name, result, !made, text, "vkCreateComputePipelines", reason);
}

static void
try_all(void)
{
   struct junk junk = good_module();
   memcpy(junk.words, "#version 450\nvoid main() {}\n\n\n\n", 32);
   junk.size = 32;
   try_junk("source text", &junk, "it begins with 0x");

   junk = (struct junk){.size = 400};
   try_junk("zeroes", &junk, "it begins with 0x00000000");

   junk = good_module();
   junk.size = 0;
   try_junk("nothing", &junk, "0 bytes are less than its header");

   junk = good_module();
   junk.size = 19;
   try_junk("less than a header", &junk, "19 bytes are less than its header");

   junk = good_module();
   junk.size -= 2;
   try_junk("half a word too few", &junk, "no multiple of 4");

   junk = good_module();
   junk.words[0] = __builtin_bswap32(junk.words[0]);
   try_junk("the other byte order", &junk, "other byte order");

   junk = good_module();
   junk.words[1] = 0x00020000;
   try_junk("a version to come", &junk, "its version word is 0x00020000");

   junk = good_module();
   junk.words[5] &= 0xffff;
   try_junk("an instruction of no words", &junk, "the instruction at byte 20 has 0 words");

   junk = good_module();
   junk.words[5] |= 0xffff0000;
   try_junk("an instruction too long", &junk, "the instruction at byte 20 has 65535 words");

   junk = good_module();
   junk.size -= 4; /* OpFunctionEnd is one word */
   try_junk("without its last instruction", &junk, "it ends inside a function");

   junk = good_module();
   junk.size = 20;
   try_junk("a header", &junk, "it has no entry point");
}

/* Each beginning of a good module but itself is refused. */
static void
try_beginnings(void)
{
   struct junk junk = good_module();
   for (size_t size = 0; size < sizeof(empty_spirv); size += 4) {
      junk.size = size;
      try_junk("a beginning", &junk, "this is no SPIR-V module");
   }
}

static void
try_good(void)
{
   struct junk junk = good_module();
   char text[512];
   VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = junk.size,
      .pCode = junk.words,
   };
   VkShaderModule module;
   begin_listening();
   VkResult result = vkCreateShaderModule(sample.device, &info, NULL, &module);
   end_listening(text, sizeof(text));
   if (result == VK_SUCCESS && !*text)
      right++;
   else
      fprintf(stderr, "a good module is refused: %s\n", text);
   total++;
   vkDestroyShaderModule(sample.device, module, NULL);
}

int
main(int argc, char **argv)
{
   sample_init(&sample, "junk", 1, argc, argv);
   VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
   SAMPLE_CALL(&sample, vkCreatePipelineLayout, sample.device, &layout_info, NULL, &layout);
   try_good();
   try_all();
   try_beginnings();
   vkDestroyPipelineLayout(sample.device, layout, NULL);
   sample_finish(&sample);
   return sample_report(&sample, right, total);
}
