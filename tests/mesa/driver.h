/* SPDX-License-Identifier: MIT */
/*
 * A Vulkan driver loaded by its file, without the loader and without layers, so that two drivers can be compared in
 * one process. Every function ends the test when something fails.
 */
#ifndef TESTS_MESA_DRIVER_H
#define TESTS_MESA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include "hdb/hdb_driver.h"

/* Everything that the tests call below vkCreateInstance. */
#define DRIVER_FUNCTIONS(X)                \
   X(AllocateCommandBuffers)               \
   X(AllocateDescriptorSets)               \
   X(AllocateMemory)                       \
   X(BeginCommandBuffer)                   \
   X(BindBufferMemory)                     \
   X(CmdBindDescriptorSets)                \
   X(CmdBindPipeline)                      \
   X(CmdDispatch)                          \
   X(CmdDispatchBase)                      \
   X(CmdDispatchIndirect)                  \
   X(CmdExecuteCommands)                   \
   X(CmdFillBuffer)                        \
   X(CmdPushConstants)                     \
   X(CmdSetRayTracingPipelineStackSizeKHR) \
   X(CmdTraceRaysKHR)                      \
   X(CreateBuffer)                         \
   X(CreateCommandPool)                    \
   X(CreateComputePipelines)               \
   X(CreateDescriptorPool)                 \
   X(CreateDescriptorSetLayout)            \
   X(CreateDevice)                         \
   X(CreateGraphicsPipelines)              \
   X(CreatePipelineBinariesKHR)            \
   X(CreatePipelineCache)                  \
   X(CreatePipelineLayout)                 \
   X(CreateRayTracingPipelinesKHR)         \
   X(CreateShaderModule)                   \
   X(CreateShadersEXT)                     \
   X(DestroyBuffer)                        \
   X(DestroyCommandPool)                   \
   X(DestroyDescriptorPool)                \
   X(DestroyDescriptorSetLayout)           \
   X(DestroyDevice)                        \
   X(DestroyInstance)                      \
   X(DestroyPipeline)                      \
   X(DestroyPipelineBinaryKHR)             \
   X(DestroyPipelineCache)                 \
   X(DestroyPipelineLayout)                \
   X(DestroyShaderEXT)                     \
   X(DestroyShaderModule)                  \
   X(EndCommandBuffer)                     \
   X(EnumeratePhysicalDevices)             \
   X(FreeMemory)                           \
   X(GetBufferMemoryRequirements)          \
   X(GetDeviceProcAddr)                    \
   X(GetDeviceQueue)                       \
   X(GetPhysicalDeviceFeatures2)           \
   X(GetPhysicalDeviceMemoryProperties)    \
   X(GetPhysicalDeviceProperties2)         \
   X(GetPipelineBinaryDataKHR)             \
   X(GetPipelineCacheData)                 \
   X(GetShaderBinaryDataEXT)               \
   X(MapMemory)                            \
   X(QueueSubmit)                          \
   X(QueueWaitIdle)                        \
   X(ResetCommandPool)                     \
   X(UpdateDescriptorSets)

struct driver {
   PFN_vkGetInstanceProcAddr get_instance_proc;
   VkInstance instance;
#define X(name) PFN_vk##name name;
   DRIVER_FUNCTIONS(X)
#undef X
};

/* The fork under test: the environment's HDB_TEST_DRIVER, or NULL. */
const char *driver_fork_path(void);

/* Debian's RADV of the same Mesa release, or NULL. */
const char *driver_stock_path(void);

void driver_open(struct driver *driver, const char *path);
void driver_close(struct driver *driver);

uint32_t driver_count_devices(struct driver *driver);
VkPhysicalDevice driver_first_device(struct driver *driver);

/* With every feature the device has, two queue families, pipeline binaries, shader objects, ray tracing. `link` may be
 * NULL.
 */
VkDevice driver_create_device(struct driver *driver, const struct hdb_driver_link *link);

struct spirv {
   uint32_t *words;
   size_t size;
};

struct spirv spirv_load(const char *path);
void spirv_free(struct spirv *spirv);

/* One layout for all test shaders: set 0 has storage buffers at bindings 0 to 3 and storage images at 4 and 5, set 1 a
 * uniform buffer at binding 0; 128 bytes of push constants. */
struct pipeline_layout {
   VkDescriptorSetLayout sets[2];
   VkPushConstantRange push_constants;
   VkPipelineLayout layout;
};

struct pipeline_layout driver_create_layout(struct driver *driver, VkDevice device);
void driver_destroy_layout(struct driver *driver, VkDevice device, struct pipeline_layout *layout);

struct pipeline_options {
   uint32_t wave_size; /* 32, 64 or 0 for the driver's choice */
   VkPipelineCreateFlags2 flags;
   VkPipelineCache cache;
   const VkSpecializationInfo *specialization; /* may be NULL */
};

VkShaderModule driver_create_module(struct driver *driver, VkDevice device, const struct spirv *spirv);

VkPipeline driver_create_pipeline(struct driver *driver, VkDevice device, VkPipelineLayout layout,
                                  const struct spirv *spirv, const struct pipeline_options *options);

#define DRIVER_MAX_CODES 16

struct driver_code {
   void *bytes; /* to be freed */
   size_t size; /* 0: a stage of ray tracing that is only inlined into others */
};

/* Of each shader of a pipeline made with VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR; how many there are. */
uint32_t driver_get_codes(struct driver *driver, VkDevice device, VkPipeline pipeline, struct driver_code *codes,
                          uint32_t capacity);

/* The machine code of a pipeline made with VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR; to be freed. */
void *driver_get_code(struct driver *driver, VkDevice device, VkPipeline pipeline, size_t *size);

#endif
