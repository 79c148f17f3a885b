/* SPDX-License-Identifier: MIT */
/*
 * A Vulkan device for tests: its queues, mapped buffers, command buffers and compute pipelines. Every function ends the
 * test when something fails, unless it says otherwise.
 */
#ifndef TESTS_GPU_GPU_H
#define TESTS_GPU_GPU_H

#include <vulkan/vulkan.h>

#include "check.h"

/* ---- the device ---- */

enum { GPU_MAX_QUEUES = 4, GPU_PUSH_BYTES = 128 };

struct gpu {
   VkInstance instance;
   VkDebugUtilsMessengerEXT messenger; /* if it is validated */
   VkPhysicalDevice physical_device;
   VkPhysicalDeviceProperties properties;
   VkPhysicalDeviceMemoryProperties memory;
   bool is_virtual; /* hdb's GPU */
   VkDevice device;
   struct hdb_driver *hdb;            /* if it is linked */
   uint32_t family;                   /* the one in use, which does compute; `queue` is its first */
   uint32_t general, compute, sparse; /* the families with graphics, without it, for binding; UINT32_MAX: none */
   VkQueue queue;
   VkCommandPool pool;
   VkCommandBuffer commands; /* begun last */
   VkPipelineLayout layout;  /* push constants alone */
};

struct gpu_options {
   const char *driver;                /* its file; NULL: whichever the loader finds */
   unsigned *complaints;              /* of the validation layer, if it is there, are counted; NULL: not validated */
   bool named;                        /* VK_EXT_debug_utils is on; it is where `complaints` are counted */
   const char *const *extensions;     /* ended by NULL */
   bool optional;                     /* of the extensions, what it has is enough */
   void *features;                    /* a chain; what it has is asked for, all else that Vulkan 1.3 has is on */
   bool robust;                       /* robustBufferAccess and robustImageAccess, else off */
   VkQueueGlobalPriorityKHR priority; /* of its queues; 0: unsaid */
   bool linked, compile_debug;        /* through hdb/hdb_driver.h, where the driver can */
};

/* The family that gpu_open() is to use. On queues without graphics, copies of images are dispatches. */
extern enum gpu_choice { GPU_COMPUTE_FIRST, GPU_GENERAL, GPU_COMPUTE } gpu_choice;

/* False: the device lacks one of the extensions, or there is no such family. Every queue of every family is there. */
bool gpu_open(struct gpu *gpu, const struct gpu_options *options);
/* With one extension, and `features` as the option of that name. */
bool gpu_open_with(struct gpu *gpu, const char *extension, void *features);
void gpu_close(struct gpu *gpu);
VkQueue gpu_queue(const struct gpu *gpu, uint32_t family, uint32_t index);
/* Commands are of this family from now on. */
void gpu_use_family(struct gpu *gpu, uint32_t family);

/* A function of an extension, as a local variable. */
#define DEVICE_FUNCTION(gpu, name)                                                         \
   const PFN_vk##name name = (PFN_vk##name)vkGetDeviceProcAddr((gpu)->device, "vk" #name); \
   CHECK(name)
#define INSTANCE_FUNCTION(gpu, name)                                                           \
   const PFN_vk##name name = (PFN_vk##name)vkGetInstanceProcAddr((gpu)->instance, "vk" #name); \
   CHECK(name)

/* ---- memory ---- */

struct buffer {
   VkBuffer buffer;
   VkDeviceMemory memory;
   VkDeviceAddress address;
   VkDeviceSize size;
   void *map;
};

uint32_t gpu_memory_type(const struct gpu *gpu, uint32_t allowed, VkMemoryPropertyFlags wanted);
VkDeviceMemory gpu_allocate(const struct gpu *gpu, const VkMemoryRequirements *requirements,
                            VkMemoryPropertyFlags wanted);
VkDeviceMemory gpu_allocate_image(const struct gpu *gpu, VkImage image); /* and binds it */
/* Good for anything, filled with bytes 0xcd. `usage` is added to that of transfers and storage. */
void buffer_init(const struct gpu *gpu, struct buffer *buffer, VkDeviceSize size, VkBufferUsageFlags usage);
void buffer_finish(const struct gpu *gpu, struct buffer *buffer);
/* Word i gets i * factor. */
void buffer_number(struct buffer *buffer, uint32_t factor);
VkBuffer gpu_create_buffer(const struct gpu *gpu, VkDeviceSize size, VkBufferUsageFlags usage,
                           VkBufferCreateFlags flags, const void *next);
VkDeviceAddress gpu_address(const struct gpu *gpu, VkBuffer buffer);

/* ---- commands ---- */

VkCommandBuffer gpu_begin(struct gpu *gpu);
/* A secondary one, for any number of uses within such a rendering; NULL: outside of any. */
VkCommandBuffer gpu_begin_secondary(const struct gpu *gpu, const VkCommandBufferInheritanceRenderingInfo *rendering);
/* Everything before happens before everything after. */
void gpu_barrier(VkCommandBuffer commands);
/* A new image's levels and layers are all brought into the layout. */
void gpu_transition(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout before,
                    VkImageLayout after);
void gpu_submit(const struct gpu *gpu, VkCommandBuffer commands); /* ends, runs, waits, frees */
/* The same. Not VK_SUCCESS: the device was lost, or did not finish within two minutes. */
VkResult gpu_try_submit(const struct gpu *gpu, VkCommandBuffer commands);

/* ---- shaders ---- */

extern const char *gpu_shaders; /* the folder of .spv files */

struct spirv {
   uint32_t *words;
   size_t size; /* bytes */
};
struct spirv spirv_read(const char *name);
VkShaderModule gpu_create_module(const struct gpu *gpu, const char *name);
VkShaderModule gpu_create_module_of(const struct gpu *gpu, const struct spirv *spirv);
VkPipeline gpu_create_pipeline(const struct gpu *gpu, VkPipelineLayout layout, const char *name,
                               VkPipelineCreateFlags flags);
/* `module` is destroyed. `wave_size` 0: whichever. `constants` may be NULL. */
VkPipeline gpu_create_pipeline_of(const struct gpu *gpu, VkPipelineLayout layout, VkShaderModule module,
                                  VkPipelineCreateFlags flags, uint32_t wave_size,
                                  const VkSpecializationInfo *constants);
/* Push constants, after any sets. */
VkPipelineLayout gpu_create_layout(const struct gpu *gpu, uint32_t set_count, const VkDescriptorSetLayout *sets);
/* Binds, pushes and dispatches. */
void gpu_dispatch(const struct gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline, const void *push,
                  uint32_t push_size, uint32_t groups);
/* The same in a submission of its own. */
void gpu_run(struct gpu *gpu, VkPipeline pipeline, const void *push, uint32_t push_size, uint32_t groups);

#endif
