/* SPDX-License-Identifier: MIT */
/*
 * A frame to be captured: dispatches that change a little each of a lot of memory, which the host does not map.
 * frame [-m MIB] [-d DISPATCHES] [--dump FILE] [--leave]: what the memory has before the frame is written to FILE, too.
 * Prints how long the frame took in ms, and how many words came out right. With --leave it ends as soon as the GPU has
 * finished, and destroys nothing.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu.h"

#define BUFFER_SIZE (16u << 20)
#define GROUPS 4096
#define WORDS (GROUPS * 64)

struct constants {
   VkDeviceAddress words;
   uint32_t factor;
};

struct part {
   VkBuffer buffer;
   VkDeviceMemory memory;
   VkDeviceAddress address;
};

/* Like the contents of real buffers: numbers near each other, with noise in their low bits. */
static void
make_contents(uint32_t *words, uint32_t part)
{
   uint32_t noise = part * 2654435761u + 1;
   for (uint32_t i = 0; i < BUFFER_SIZE / 4; i++) {
      noise = noise * 1664525 + 1013904223;
      float value = (float)(part * 100 + i / 4096) + (float)(noise >> 20) / 4096;
      memcpy(&words[i], &value, 4);
   }
}

static double
now_ms(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void
copy(struct gpu *gpu, VkBuffer from, VkBuffer to, VkDeviceSize size)
{
   VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdCopyBuffer(commands, from, to, 1, &(VkBufferCopy){.size = size});
   gpu_barrier(commands);
   gpu_submit(gpu, commands);
}

static void
name_buffer(struct gpu *gpu, VkBuffer buffer, uint32_t number)
{
   char name[32];
   DEVICE_FUNCTION(gpu, SetDebugUtilsObjectNameEXT);
   snprintf(name, sizeof(name), "part %u", number);
   const VkDebugUtilsObjectNameInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
      .objectType = VK_OBJECT_TYPE_BUFFER,
      .objectHandle = (uint64_t)buffer,
      .pObjectName = name,
   };
   CHECK(SetDebugUtilsObjectNameEXT(gpu->device, &info) == VK_SUCCESS);
}

static void
fill_part(struct gpu *gpu, struct part *part, uint32_t number, const struct buffer *staging, FILE *dump)
{
   VkMemoryRequirements requirements;
   part->buffer = gpu_create_buffer(gpu, BUFFER_SIZE,
                                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                       VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                                    0, NULL);
   vkGetBufferMemoryRequirements(gpu->device, part->buffer, &requirements);
   part->memory = gpu_allocate(gpu, &requirements, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
   name_buffer(gpu, part->buffer, number);
   CHECK(vkBindBufferMemory(gpu->device, part->buffer, part->memory, 0) == VK_SUCCESS);
   part->address = gpu_address(gpu, part->buffer);
   make_contents(staging->map, number);
   if (dump)
      CHECK(fwrite(staging->map, 1, BUFFER_SIZE, dump) == BUFFER_SIZE);
   copy(gpu, staging->buffer, part->buffer, BUFFER_SIZE);
}

static uint32_t
count_right(struct gpu *gpu, const struct part *part, uint32_t number, uint32_t dispatches, uint32_t part_count,
            const struct buffer *staging)
{
   static uint32_t expected[BUFFER_SIZE / 4];
   uint32_t right = 0;
   const uint32_t *words = staging->map;
   copy(gpu, part->buffer, staging->buffer, BUFFER_SIZE);
   make_contents(expected, number);
   for (uint32_t i = 0; i < WORDS; i++) {
      for (uint32_t d = number; d < dispatches; d += part_count)
         expected[i] = expected[i] * (d * 2 + 3) + i;
      right += words[i] == expected[i];
   }
   return right;
}

int
main(int argc, char **argv)
{
   static const struct option options[] = {
      {"dump", required_argument, NULL, 'D'}, {"leave", no_argument, NULL, 'L'}, {NULL, 0, NULL, 0}};
   uint32_t mib = 64, dispatches = 10;
   bool leave = false;
   FILE *dump = NULL;
   for (int option; (option = getopt_long(argc, argv, "m:d:", options, NULL)) >= 0;) {
      if (option == 'm')
         mib = strtoul(optarg, NULL, 10);
      else if (option == 'd')
         dispatches = strtoul(optarg, NULL, 10);
      else if (option == 'D')
         dump = fopen(optarg, "we");
      else if (option == 'L')
         leave = true;
   }
   uint32_t part_count = (mib << 20) / BUFFER_SIZE;
   CHECK(part_count && (!dump || !ferror(dump)));

   struct gpu gpu;
   struct buffer staging;
   gpu_shaders = FRAME_SHADERS;
   CHECK(gpu_open(&gpu, &(struct gpu_options){.named = true}));
   VkPipeline pipeline = gpu_create_pipeline(&gpu, gpu.layout, "frame.comp", 0);
   struct part *parts = calloc(part_count, sizeof(*parts));
   buffer_init(&gpu, &staging, BUFFER_SIZE, 0);
   for (uint32_t i = 0; i < part_count; i++)
      fill_part(&gpu, &parts[i], i, &staging, dump);
   if (dump)
      CHECK(fclose(dump) == 0);

   VkCommandBuffer commands = gpu_begin(&gpu);
   for (uint32_t i = 0; i < dispatches; i++) {
      struct constants constants = {parts[i % part_count].address, i * 2 + 3};
      gpu_dispatch(&gpu, commands, pipeline, &constants, sizeof(constants), GROUPS);
      gpu_barrier(commands);
   }
   double start = now_ms();
   gpu_submit(&gpu, commands);
   printf("frame.ms %.1f\n", now_ms() - start);
   fflush(stdout);
   if (leave)
      exit(0);

   uint64_t right = 0;
   for (uint32_t i = 0; i < part_count; i++) {
      right += count_right(&gpu, &parts[i], i, dispatches, part_count, &staging);
      vkDestroyBuffer(gpu.device, parts[i].buffer, NULL);
      vkFreeMemory(gpu.device, parts[i].memory, NULL);
   }
   printf("frame: %llu of %llu right\n", (unsigned long long)right, (unsigned long long)part_count * WORDS);
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   buffer_finish(&gpu, &staging);
   gpu_close(&gpu);
   free(parts);
   return right != (uint64_t)part_count * WORDS;
}
