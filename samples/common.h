/* SPDX-License-Identifier: MIT */
/*
 * What every sample needs and none is about: a device and a queue, buffers that the CPU can see, one compute kernel,
 * one command buffer. Every function prints what went wrong and ends the program with exit code 2.
 */
#ifndef SAMPLES_COMMON_H
#define SAMPLES_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#define SAMPLE_MAX_BINDINGS 4
#define SAMPLE_MAX_QUEUES 2

struct sample {
   const char *name;
   uint32_t n; /* elements: -n, or the sample's own default */

   VkInstance instance;
   VkPhysicalDevice physical_device;
   VkDevice device;
   uint32_t queue_family;
   VkQueue queue;                     /* the first of: */
   VkQueue queues[SAMPLE_MAX_QUEUES]; /* as many as the family has, at most two */
   uint32_t queue_count;
   VkCommandPool command_pool;

   /* VK_EXT_debug_utils; NULL where the instance does not have it */
   PFN_vkSetDebugUtilsObjectNameEXT set_object_name;
   PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
   PFN_vkCmdEndDebugUtilsLabelEXT end_label;
};

/* A device with timeline semaphores and vkQueueSubmit2. Parses `--queue general|compute`, `--device NAME`, `-n
 * ELEMENTS`. */
void sample_init(struct sample *sample, const char *name, uint32_t default_n, int argc, char **argv);
/* The same, but without --queue it takes a queue family without graphics where there is one. */
void sample_init_on_compute(struct sample *sample, const char *name, uint32_t default_n, int argc, char **argv);
/* The same with these extensions, besides VK_EXT_debug_utils; NULL ends the lists. */
void sample_init_with(struct sample *sample, const char *name, uint32_t default_n,
                      const char *const *instance_extensions, const char *const *device_extensions, int argc,
                      char **argv);
void sample_finish(struct sample *sample);

/* Prints, and ends the program; `format` has one %s. */
_Noreturn void sample_fail(const struct sample *sample, const char *format, const char *detail);
/* For the Vulkan calls of the sample itself. */
void sample_check(const struct sample *sample, VkResult result, const char *call);
#define SAMPLE_CALL(sample, function, ...) sample_check(sample, function(__VA_ARGS__), #function)

void sample_set_name(const struct sample *sample, VkObjectType type, uint64_t object, const char *name);

struct sample_buffer {
   VkBuffer buffer;
   VkDeviceMemory memory;
   VkDeviceSize size;
   VkDeviceAddress address;
   void *map;
};

void sample_buffer_init(struct sample_buffer *buffer, const struct sample *sample, VkDeviceSize size);
void sample_buffer_finish(struct sample_buffer *buffer, const struct sample *sample);

/* A memory type that has all of `wanted` and needs no feature of its own; ends the program if there is none. */
uint32_t sample_memory_type(const struct sample *sample, uint32_t allowed, VkMemoryPropertyFlags wanted);

/* A compute pipeline whose storage buffers are bindings 0..buffer_count-1 of set 0; its images (image.h) follow. */
struct sample_kernel {
   VkDescriptorSetLayout set_layout;
   VkPipelineLayout layout;
   VkPipeline pipeline;
   VkDescriptorPool descriptor_pool;
   uint32_t buffer_count, binding_count;
   VkDescriptorType types[SAMPLE_MAX_BINDINGS];
   uint32_t push_constant_size;
};

struct sample_kernel_info {
   const char *name; /* the pipeline's, for debuggers */
   const uint32_t *spirv;
   size_t spirv_size;
   uint32_t buffer_count, image_count;
   const VkDescriptorType *image_types;
   uint32_t push_constant_size;
   uint32_t max_sets;
};

void sample_kernel_init(struct sample_kernel *kernel, const struct sample *sample,
                        const struct sample_kernel_info *info);
void sample_kernel_finish(struct sample_kernel *kernel, const struct sample *sample);
/* A set with the buffers in it. */
VkDescriptorSet sample_kernel_set(const struct sample_kernel *kernel, const struct sample *sample,
                                  const struct sample_buffer *const *buffers);

VkCommandBuffer sample_begin(const struct sample *sample);
void sample_dispatch(const struct sample *sample, VkCommandBuffer commands, const struct sample_kernel *kernel,
                     VkDescriptorSet set, const void *push_constants, uint32_t groups, const char *label);
void sample_dispatch_2d(const struct sample *sample, VkCommandBuffer commands, const struct sample_kernel *kernel,
                        VkDescriptorSet set, const void *push_constants, uint32_t width, uint32_t height,
                        const char *label);
/* Around what is recorded between them. */
void sample_begin_label(const struct sample *sample, VkCommandBuffer commands, const char *label);
void sample_end_label(const struct sample *sample, VkCommandBuffer commands);
/* What shaders wrote is seen by the shaders recorded next. */
void sample_barrier(VkCommandBuffer commands);
/* Ends and submits `commands`, waits, frees it. */
void sample_submit(const struct sample *sample, VkCommandBuffer commands);

/* Of the smallest square of -n elements or more. */
uint32_t sample_edge(const struct sample *sample);

/* Prints "name: right of n right" and gives the exit code. */
int sample_report(const struct sample *sample, uint32_t right, uint32_t n);

#endif
