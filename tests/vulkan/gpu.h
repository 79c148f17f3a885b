/* SPDX-License-Identifier: MIT */
/*
 * A Vulkan device for tests of single features: its queues, buffers with addresses, kernels that get all they need in
 * push constants. Every function ends the test when something fails.
 */
#ifndef TESTS_VULKAN_GPU_H
#define TESTS_VULKAN_GPU_H

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

#define CHECK_EQUAL(value, expected)                                                      \
   do {                                                                                   \
      const uint64_t check_value = (value), check_expected = (expected);                  \
      if (check_value != check_expected) {                                                \
         fprintf(stderr, "%s:%d: %s is 0x%llx, not 0x%llx\n", __FILE__, __LINE__, #value, \
                 (unsigned long long)check_value, (unsigned long long)check_expected);    \
         exit(1);                                                                         \
      }                                                                                   \
   } while (0)

#define CALL(call)                                                                            \
   do {                                                                                       \
      const VkResult call_result = (call);                                                    \
      if (call_result != VK_SUCCESS) {                                                        \
         fprintf(stderr, "%s:%d: %s: VkResult %d\n", __FILE__, __LINE__, #call, call_result); \
         exit(1);                                                                             \
      }                                                                                       \
   } while (0)

enum { GPU_MAX_QUEUES = 4, GPU_PUSH_BYTES = 128 };

struct gpu {
   VkInstance instance;
   VkPhysicalDevice physical_device;
   VkPhysicalDeviceProperties properties;
   VkPhysicalDeviceMemoryProperties memory;
   bool is_virtual; /* hdb's GPU */
   VkDevice device;
   uint32_t family;                   /* one that does compute; `queue` is its first */
   uint32_t general, compute, sparse; /* the families with graphics, without it, for binding; UINT32_MAX: none */
   VkQueue queue;
   VkCommandPool pool;
   VkPipelineLayout layout; /* push constants alone */
};

/* A function of an extension, as a local variable. */
#define DEVICE_FUNCTION(gpu, name)                                                         \
   const PFN_vk##name name = (PFN_vk##name)vkGetDeviceProcAddr((gpu)->device, "vk" #name); \
   CHECK(name)
#define INSTANCE_FUNCTION(gpu, name)                                                           \
   const PFN_vk##name name = (PFN_vk##name)vkGetInstanceProcAddr((gpu)->instance, "vk" #name); \
   CHECK(name)

struct gpu_options {
   const char *const *extensions;     /* ended by NULL */
   void *features;                    /* a chain; what it has is asked for, all else that Vulkan 1.3 has is on */
   bool robust;                       /* robustBufferAccess and robustImageAccess, else off */
   VkQueueGlobalPriorityKHR priority; /* of its queues; 0: unsaid */
};

/* Whether tests are to use the family of queues without graphics. */
extern bool gpu_use_compute_family;

/* False: the device lacks one of the extensions, or there is no such family. Every queue of every family is there. */
bool gpu_open(struct gpu *gpu, const struct gpu_options *options);
void gpu_close(struct gpu *gpu);
VkQueue gpu_queue(const struct gpu *gpu, uint32_t family, uint32_t index);

/* ---- memory ---- */

struct buffer {
   VkBuffer buffer;
   VkDeviceMemory memory;
   VkDeviceAddress address;
   VkDeviceSize size;
   void *map;
};

uint32_t gpu_memory_type(const struct gpu *gpu, uint32_t allowed, VkMemoryPropertyFlags wanted);
/* Good for anything, filled with bytes 0xcd. `usage` is added to that of transfers and storage. */
void buffer_init(struct gpu *gpu, struct buffer *buffer, VkDeviceSize size, VkBufferUsageFlags usage);
void buffer_finish(struct gpu *gpu, struct buffer *buffer);
/* Word i gets i * factor. */
void buffer_number(struct buffer *buffer, uint32_t factor);
VkBuffer gpu_create_buffer(struct gpu *gpu, VkDeviceSize size, VkBufferUsageFlags usage, VkBufferCreateFlags flags,
                           const void *next);
VkDeviceAddress gpu_address(struct gpu *gpu, VkBuffer buffer);

/* ---- commands ---- */

VkCommandBuffer gpu_begin(struct gpu *gpu);
/* Everything before happens before everything after. */
void gpu_barrier(VkCommandBuffer commands);
void gpu_submit(struct gpu *gpu, VkCommandBuffer commands); /* ends, runs, waits, frees */

/* ---- shaders ---- */

extern const char *gpu_shaders; /* the folder of .spv files */

struct spirv {
   uint32_t *words;
   size_t size;
};
struct spirv spirv_read(const char *name);
VkShaderModule gpu_create_module(struct gpu *gpu, const char *name);
VkPipeline gpu_create_pipeline(struct gpu *gpu, VkPipelineLayout layout, const char *name, VkPipelineCreateFlags flags);
/* Binds, pushes and dispatches. */
void gpu_dispatch(struct gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline, const void *push, uint32_t push_size,
                  uint32_t groups);
/* The same in a submission of its own. */
void gpu_run(struct gpu *gpu, VkPipeline pipeline, const void *push, uint32_t push_size, uint32_t groups);

#endif
