/* SPDX-License-Identifier: MIT */
/*
 * The devices that are compared: hdb's virtual GPU, a queue of each family, and lavapipe; both of one instance, with
 * the validation layer where there is one. Every function ends the test when something fails.
 */
#ifndef TESTS_TRANSFER_GPU_H
#define TESTS_TRANSFER_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <vulkan/vulkan.h>

#define CHECK(condition)                                                 \
   do {                                                                  \
      if (!(condition)) {                                                \
         fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
         exit(1);                                                        \
      }                                                                  \
   } while (0)

#define CALL(call)                                                                            \
   do {                                                                                       \
      const VkResult call_result = (call);                                                    \
      if (call_result != VK_SUCCESS) {                                                        \
         fprintf(stderr, "%s:%d: %s: VkResult %d\n", __FILE__, __LINE__, #call, call_result); \
         exit(1);                                                                             \
      }                                                                                       \
   } while (0)

struct buffer {
   VkBuffer buffer;
   VkDeviceMemory memory;
   uint8_t *map;
};

struct queue {
   VkQueue queue;
   VkCommandPool pool;
   bool graphics;
};

/* Texels of one format in the result. */
struct span {
   const struct format *format;
   VkImageAspectFlags aspect;
   size_t offset, bytes;
};

enum { GPU_MAX_SPANS = 256, GPU_BUFFER_BYTES = 4 << 20 };

struct gpu {
   VkPhysicalDevice physical_device;
   VkPhysicalDeviceMemoryProperties memory;
   VkDevice device;
   struct queue queues[2]; /* general, compute */
   unsigned queue_count;
   struct queue *queue; /* the one in use */
   VkCommandBuffer commands;
   const struct gpu *peer;       /* which does the same */
   struct buffer source, result; /* texels for images; what tests compare, which the spans describe */
   struct span spans[GPU_MAX_SPANS];
   unsigned span_count;
};

/* False: one of the drivers is not there. */
bool instance_open(VkInstance *instance, const char *driver, const char *lavapipe_manifest);
void instance_close(VkInstance instance);
unsigned instance_complaints(void); /* of the validation layer */

void gpu_open(struct gpu *gpu, VkInstance instance, VkDriverId driver);
void gpu_close(struct gpu *gpu);
uint32_t gpu_memory_type(const struct gpu *gpu, uint32_t allowed, VkMemoryPropertyFlags wanted);

/* Commands from begin to submit, which waits. Everything before a barrier happens before everything after. */
void gpu_begin(struct gpu *gpu);
void gpu_barrier(struct gpu *gpu);
void gpu_submit(struct gpu *gpu);

#endif
