/* SPDX-License-Identifier: MIT */
/*
 * importer SHADERS DESCRIPTOR opaque|dma-buf|image: another process, which imports memory and finds what was written
 * into it. Of a buffer it then writes the first half with its host, the second with its GPU.
 */
#include <string.h>

#include "external.h"

static void
check_buffer(struct gpu *gpu, int fd, VkExternalMemoryHandleTypeFlagBits type)
{
   struct buffer buffer;
   external_import(gpu, &buffer, type, fd);
   uint32_t *words = buffer.map;
   for (uint32_t i = 0; i < EXTERNAL_SIZE / 4; i++)
      CHECK_EQUAL(words[i], 3 * i + 7);
   for (uint32_t i = 0; i < EXTERNAL_SIZE / 8; i++)
      words[i] = 5 * i + 1;
   const VkPipeline store = gpu_create_pipeline(gpu, gpu->layout, "store.comp", 0);
   const struct {
      uint64_t to;
      uint32_t factor, base;
   } push = {buffer.address + EXTERNAL_SIZE / 2, 11, 2};
   gpu_run(gpu, store, &push, sizeof(push), EXTERNAL_SIZE / 8 / 64);
   vkDestroyPipeline(gpu->device, store, NULL);
   buffer_finish(gpu, &buffer);
}

static void
check_image(struct gpu *gpu, int fd)
{
   struct external_image image;
   external_image_init(gpu, &image, fd);
   external_image_transfer(gpu, &image, true);
   level_run(gpu, &image.level, image.texels, false);
   level_check(&image.level, false, true);
   external_image_finish(gpu, &image);
}

int
main(int argc, char **argv)
{
   CHECK(argc == 4);
   gpu_shaders = argv[1];
   gpu_choice = GPU_GENERAL;
   const int fd = atoi(argv[2]);
   struct gpu gpu;
   CHECK(external_open(&gpu));
   if (!strcmp(argv[3], "image"))
      check_image(&gpu, fd);
   else if (!strcmp(argv[3], "dma-buf"))
      check_buffer(&gpu, fd, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
   else
      check_buffer(&gpu, fd, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
   gpu_close(&gpu);
   return 0;
}
