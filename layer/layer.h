/* SPDX-License-Identifier: MIT */
/* The layer's objects: instances, devices, and what exists once a process; the rest is in the headers that are
 * included. Private to this folder. */
#ifndef LAYER_H
#define LAYER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>
#include <vulkan/vk_layer.h>

#include "commands.h"
#include "frames.h"
#include "hdb/hdb_driver.h"
#include "hdb_core.h"
#include "map.h"
#include "objects.h"
#include "settings.h"
#include "submissions.h"

#define LAYER_NAME "VK_LAYER_hdb"

/* ---- instances and physical devices: instance.c, devices.c ---- */

/* Functions of the next layer or the driver, by their names without `vk`. Those marked optional may be NULL. */
#define LAYER_INSTANCE_FUNCTIONS(X)                  \
   X(CreateDebugUtilsMessengerEXT)  /* optional */   \
   X(DestroyDebugUtilsMessengerEXT) /* optional */   \
   X(DestroyInstance)                                \
   X(DestroySurfaceKHR) /* optional */               \
   X(EnumeratePhysicalDevices)                       \
   X(EnumeratePhysicalDeviceGroups) /* optional */   \
   X(EnumerateDeviceExtensionProperties)             \
   X(GetPhysicalDeviceFeatures2) /* optional */      \
   X(GetPhysicalDeviceProperties)                    \
   X(GetPhysicalDeviceProperties2)    /* optional */ \
   X(GetPhysicalDeviceToolProperties) /* optional */

#define LAYER_DECLARE_FUNCTION(name) PFN_vk##name name;

struct layer_messenger;

struct layer_instance {
   VkInstance handle;
   PFN_vkGetInstanceProcAddr get_proc_addr;
   struct {
      LAYER_INSTANCE_FUNCTIONS(LAYER_DECLARE_FUNCTION)
      /* Optional, too; their types are in the headers of the window systems. */
      PFN_vkVoidFunction CreateXcbSurfaceKHR, CreateXlibSurfaceKHR, CreateWaylandSurfaceKHR;
   } next;
   bool debug_utils; /* VK_EXT_debug_utils is enabled */
   pthread_mutex_t messengers_lock;
   struct layer_messenger *messengers; /* the application's */
};

struct layer_instance *layer_instance_of(const void *handle); /* of a VkInstance or VkPhysicalDevice */

/* Physical devices without those that the application must not see. As vkEnumeratePhysicalDevices. */
VkResult layer_enumerate_devices(struct layer_instance *instance, uint32_t *count, VkPhysicalDevice *devices);
VkResult layer_enumerate_device_groups(struct layer_instance *instance, uint32_t *count,
                                       VkPhysicalDeviceGroupProperties *groups);
/* Whether hdb's driver runs it. */
bool layer_device_is_ours(struct layer_instance *instance, VkPhysicalDevice device);

/* ---- devices: device.c ---- */

#define LAYER_DEVICE_FUNCTIONS(X)                                       \
   X(AllocateCommandBuffers)                                            \
   X(BeginCommandBuffer)                                                \
   X(CmdBeginDebugUtilsLabelEXT) /* optional, as all with EXT or KHR */ \
   X(CmdBindPipeline)                                                   \
   X(CmdDispatch)                                                       \
   X(CmdDispatchBase) /* optional */                                    \
   X(CmdDispatchIndirect)                                               \
   X(CmdEndDebugUtilsLabelEXT)                                          \
   X(CmdExecuteCommands)                                                \
   X(CmdInsertDebugUtilsLabelEXT)                                       \
   X(CmdPushConstants)                                                  \
   X(CreateAccelerationStructureKHR)                                    \
   X(CreateBuffer)                                                      \
   X(CreateComputePipelines)                                            \
   X(CreateFence)                                                       \
   X(CreateGraphicsPipelines)                                           \
   X(CreatePipelineLayout)                                              \
   X(CreateRayTracingPipelinesKHR)                                      \
   X(CreateShaderModule)                                                \
   X(CreateShadersEXT)                                                  \
   X(CmdDebugMarkerBeginEXT)                                            \
   X(CmdDebugMarkerEndEXT)                                              \
   X(CmdDebugMarkerInsertEXT)                                           \
   X(DebugMarkerSetObjectNameEXT)                                       \
   X(DebugMarkerSetObjectTagEXT)                                        \
   X(DestroyAccelerationStructureKHR)                                   \
   X(DestroyBuffer)                                                     \
   X(DestroyCommandPool)                                                \
   X(DestroyDevice)                                                     \
   X(DestroyFence)                                                      \
   X(DestroyImage)                                                      \
   X(DestroyIndirectExecutionSetEXT)                                    \
   X(DestroyPipeline)                                                   \
   X(DestroyPipelineLayout)                                             \
   X(DestroyShaderModule)                                               \
   X(DestroyShaderEXT)                                                  \
   X(DeviceWaitIdle)                                                    \
   X(FreeCommandBuffers)                                                \
   X(GetDeviceQueue)                                                    \
   X(GetDeviceQueue2) /* optional */                                    \
   X(GetFenceStatus)                                                    \
   X(QueueBeginDebugUtilsLabelEXT)                                      \
   X(QueueEndDebugUtilsLabelEXT)                                        \
   X(QueueInsertDebugUtilsLabelEXT)                                     \
   X(QueuePresentKHR)                                                   \
   X(QueueSubmit)                                                       \
   X(QueueSubmit2) /* optional */                                       \
   X(QueueWaitIdle)                                                     \
   X(ResetCommandBuffer)                                                \
   X(ResetCommandPool)                                                  \
   X(ResetFences)                                                       \
   X(SetDebugUtilsObjectNameEXT)                                        \
   X(UpdateIndirectExecutionSetPipelineEXT)                             \
   X(UpdateIndirectExecutionSetShaderEXT)                               \
   X(WaitForFences)                                                     \
   X(WaitSemaphores) /* optional */

struct layer_name;
struct layer_object;
struct layer_push_size;
struct layer_command_buffer;
struct layer_module;
struct layer_stand_in;
struct layer_queue;
struct layer_submission;

struct layer_device {
   struct layer_instance *instance;
   VkDevice handle;
   char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
   PFN_vkGetDeviceProcAddr get_proc_addr;
   struct {
      LAYER_DEVICE_FUNCTIONS(LAYER_DECLARE_FUNCTION)
   } next;

   struct hdb_driver_link link; /* lives as long as the driver may call back */
   struct hdb_driver *driver;   /* NULL: no fork of RADV underneath */
   bool debug_marker;           /* VK_EXT_debug_marker is enabled */
   bool frame_boundaries;       /* VK_EXT_frame_boundary is enabled */

   /* The engine's side of this device, NULL while there is none. `core_lock` keeps it from being removed while a
    * driver's callback or a watcher uses it: for reading, since these wait for the engine, and what the engine waits
    * for, a callback of the application, may do the same. */
   pthread_rwlock_t core_lock;
   _Atomic(struct hdb_device *) core;
   pthread_mutex_t early_lock; /* of the shaders made before it was there */
   const struct hdb_shader **early_shaders;
   size_t early_shader_count, early_shader_capacity;

   pthread_mutex_t lock; /* guards the tables below */
   struct layer_name *names;
   struct layer_push_size *layout_sizes, *push_sizes; /* of pipelines and shaders */
   struct layer_command_buffer *command_buffers;
   struct layer_queue *queues;
   struct layer_module *modules; /* these two without a driver only */
   struct layer_stand_in *stand_ins;
   _Atomic(struct layer_submission *) pending; /* read without the lock to see whether there are any */
   pthread_cond_t retired;                     /* one of the pending is gone */
   uint64_t submission_count;

   pthread_mutex_t objects_lock; /* innermost */
   struct layer_object *objects;
   VkDebugUtilsMessengerEXT messenger; /* of the driver's reports on addresses; 0: there are none */
};

struct layer_device *layer_device_of(const void *handle);   /* of a VkDevice, VkQueue or VkCommandBuffer */
void layer_device_join_engine(struct layer_device *device); /* if it has not yet, and there is a use for it */

/* ---- process: process.c ---- */

/* In a child made by fork() nothing of the engine exists: the layer passes everything on. */
extern atomic_bool layer_inert;

/* Reads the settings, once a process. `create_info` is the instance's. */
void layer_process_init(const VkInstanceCreateInfo *create_info);
bool layer_process_compiles_debug(void);
const char *layer_process_setting(enum layer_setting setting); /* NULL: empty */
struct hdb_engine *layer_process_engine_if_any(void);
void layer_process_set_observed(bool observed); /* there are callbacks of the application */
/* The engine, started at the first device that needs it; NULL if there can be none. */
struct hdb_engine *layer_process_engine(bool has_driver);

/* ---- the application's callbacks: callbacks.c, callbacks_report.c, messengers.c ---- */

PFN_vkVoidFunction layer_own_function(const char *name); /* of hdb/hdb.h; NULL: it is not one */
bool layer_callbacks_exist(void);
void layer_callbacks_add_instance(struct layer_instance *instance, const VkInstanceCreateInfo *info);
void layer_callbacks_remove_instance(const struct layer_instance *instance);
void layer_callbacks_remove_device(const struct layer_device *device);
extern const struct hdb_observer layer_observer;

/* Debug-utils messengers that hear of stops and of what shaders print: `id` says which. */
void layer_messengers_init(struct layer_instance *instance);
void layer_messengers_finish(struct layer_instance *instance);
void layer_messengers_tell(struct layer_instance *instance, const char *id, const char *text);

/* ---- what shaders print: prints.c ---- */

void layer_prints_listen(int more);                       /* messengers that want it; less, if negative */
void layer_prints_join_engine(struct hdb_engine *engine); /* a new one */
void layer_prints_expect(struct layer_device *device);    /* before a submission, if there can be any */
void layer_prints_deliver(struct layer_device *device);   /* behind a wait for the GPU: all so far is told */

static inline bool
layer_prints_exist(const struct layer_device *device)
{
   return device->driver && __atomic_load_n(&device->driver->prints.map, __ATOMIC_ACQUIRE);
}

/* ---- prompt: prompt.c ---- */

/* Starts `hdb attach` on the controlling terminal; a descriptor connected with it, or a negative errno. */
int layer_prompt_start(void);
/* The program has its terminal back if that hdb still holds it. From any thread. */
void layer_prompt_end(void);

/* ---- the hooks of hooks.h: hooks.c lists them, chain.c gives them to the loader ---- */

/* NULL: the layer does not stand in front of that function. */
PFN_vkVoidFunction layer_unconditional_hook(const char *name); /* in front of it whatever the instance is */
PFN_vkVoidFunction layer_instance_hook(const struct layer_instance *instance, const char *name);
PFN_vkVoidFunction layer_device_hook(const struct layer_device *device, const char *name, bool has_next);

/* ---- extensions that the layer brings: hooks_markers.c ---- */

#define LAYER_DEVICE_EXTENSIONS 3
extern const VkExtensionProperties layer_device_extensions[LAYER_DEVICE_EXTENSIONS];
/* As vkEnumerateDeviceExtensionProperties without a layer's name. */
VkResult layer_add_device_extensions(struct layer_instance *instance, VkPhysicalDevice device, uint32_t *count,
                                     VkExtensionProperties *properties);

#endif
