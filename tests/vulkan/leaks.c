/* SPDX-License-Identifier: MIT */
/* What a program has not given back when it destroys its device and instance is no hindrance to the next ones. */
#include "gpu.h"
#include "test.h"

enum { ROUNDS = 4 };

/* Still reachable, for checkers of the program's own memory. */
static struct leak {
   VkDeviceMemory memory;
   VkSemaphore semaphore;
   struct buffer buffer;
} leaks[2 * ROUNDS];
static unsigned leaked;

/* On the virtual GPU half of its memory, four times. */
static bool
leaking(void)
{
   for (int round = 0; round < ROUNDS; round++) {
      struct gpu gpu;
      if (!gpu_open(&gpu, NULL))
         return false;
      struct leak *leak = &leaks[leaked++];
      const uint32_t type = gpu_memory_type(&gpu, ~0u, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
      const uint32_t heap = gpu.memory.memoryTypes[type].heapIndex;
      const VkMemoryAllocateInfo info = {
         .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
         .allocationSize = gpu.is_virtual ? gpu.memory.memoryHeaps[heap].size / 2 : 65536,
         .memoryTypeIndex = type,
      };
      CALL(vkAllocateMemory(gpu.device, &info, NULL, &leak->memory));
      const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
      CALL(vkCreateSemaphore(gpu.device, &semaphore, NULL, &leak->semaphore));
      buffer_init(&gpu, &leak->buffer, 65536, 0);

      /* It works, too. */
      const VkPipeline store = gpu_create_pipeline(&gpu, gpu.layout, "store.comp", 0);
      const struct {
         uint64_t to;
         uint32_t factor, base;
      } push = {leak->buffer.address, 3, round};
      gpu_run(&gpu, store, &push, sizeof(push), 65536 / 4 / 64);
      CHECK_EQUAL(((uint32_t *)leak->buffer.map)[1000], 3000 + round);
      vkDestroyPipeline(gpu.device, store, NULL);
      gpu_close(&gpu);
   }
   return true;
}

const struct test tests[] = {
   {.name = "leaking programs", .run = leaking, .not_validated = true},
   {.name = NULL},
};
