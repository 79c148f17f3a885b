/* SPDX-License-Identifier: MIT */
/* The layer's objects. Private to this folder. */
#ifndef LAYER_H
#define LAYER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Out of memory must not end the application: the element is then simply not in the table. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>
#include <vulkan/vulkan.h>
#include <vulkan/vk_layer.h>

#include "hdb/hdb_driver.h"
#include "hdb_core.h"
#include "map.h"
#include "settings.h"

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
   X(FreeCommandBuffers)                                                \
   X(GetDeviceQueue)                                                    \
   X(GetDeviceQueue2) /* optional */                                    \
   X(QueueBeginDebugUtilsLabelEXT)                                      \
   X(QueueEndDebugUtilsLabelEXT)                                        \
   X(QueueInsertDebugUtilsLabelEXT)                                     \
   X(QueuePresentKHR)                                                   \
   X(QueueSubmit)                                                       \
   X(QueueSubmit2) /* optional */                                       \
   X(ResetCommandBuffer)                                                \
   X(ResetCommandPool)                                                  \
   X(ResetFences)                                                       \
   X(SetDebugUtilsObjectNameEXT)                                        \
   X(UpdateIndirectExecutionSetPipelineEXT)                             \
   X(UpdateIndirectExecutionSetShaderEXT)                               \
   X(WaitForFences)

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

/* Debug-utils messengers that hear of stops. */
void layer_messengers_init(struct layer_instance *instance);
void layer_messengers_finish(struct layer_instance *instance);
void layer_messengers_tell(struct layer_instance *instance, const char *text);

/* ---- prompt: prompt.c ---- */

/* Starts `hdb attach` on the controlling terminal; a descriptor connected with it, or a negative errno. */
int layer_prompt_start(void);
/* The program has its terminal back if that hdb still holds it. From any thread. */
void layer_prompt_end(void);

/* ---- frames: frames.c ---- */

/* What ends a frame, in rising order: the highest kind that the program has shown counts, the others end none. */
enum layer_frame_end {
   LAYER_FRAME_SUBMITS, /* a number of submissions */
   LAYER_FRAME_PRESENT, /* vkQueuePresentKHR, once there is a surface */
   LAYER_FRAME_MARKED,  /* the application says so: VK_EXT_frame_boundary, or a marker */
   LAYER_FRAME_ENDS
};

uint32_t layer_frame_next(void);                /* the first that nothing has been submitted to */
void layer_frames_expect(enum layer_frame_end); /* ends of this kind will come */
bool layer_frames_have_window(void);
/* Looked at by each submission. */
extern struct layer_frames {
   atomic_int by;       /* enum layer_frame_end that counts */
   atomic_uint submits; /* begun, while they count */
   atomic_bool begun;   /* something was submitted to the frame; unless submissions count */
   atomic_bool markers; /* some command buffer has had one */
} layer_frames;

/* Before the engine is asked whether it wants the submission: of a frame that it waits for it sees all. What is
 * returned is the number of the submission, where submissions count. */
static inline uint32_t
layer_frames_begin_submission(void)
{
   if (atomic_load_explicit(&layer_frames.by, memory_order_relaxed) == LAYER_FRAME_SUBMITS) {
      uint32_t number = atomic_load_explicit(&layer_frames.submits, memory_order_relaxed);
      atomic_store_explicit(&layer_frames.submits, number + 1, memory_order_relaxed);
      return number;
   }
   if (!atomic_load_explicit(&layer_frames.begun, memory_order_relaxed))
      layer_frames.begun = true;
   return 0;
}

/* Behind a submission that the engine has wanted, or that ends the frame: `marked`. */
void layer_frames_end_submission(uint32_t submission, bool marked);
uint32_t layer_frame_of(uint32_t submission);
void layer_frames_end(enum layer_frame_end by);

/* Whether a label is one that ends a frame. */
bool layer_frame_is_marker(const char *label);
void layer_frame_note_marker(struct layer_device *device, VkCommandBuffer commands, const char *label);
bool layer_frame_has_marker(struct layer_device *device, VkCommandBuffer commands);

/* ---- keys: keys.c ---- */

struct xcb_connection_t;
struct wl_display;

/* The program has made a surface of a window; it is to be removed before it is destroyed. */
void layer_keys_add_xcb(VkSurfaceKHR surface, struct xcb_connection_t *connection, uint32_t window);
void layer_keys_add_wayland(VkSurfaceKHR surface, struct wl_display *display);
void layer_keys_remove(VkSurfaceKHR surface);
void layer_keys_poll(void); /* once a frame */

/* ---- names: names.c ---- */

/* All need device->lock. */
const char *layer_name_find(struct layer_device *device, uint64_t object); /* NULL: none was given */
void layer_name_set(struct layer_device *device, uint64_t object, const char *name);
void layer_names_finish(struct layer_device *device);
/* Those of types that are of use; takes the lock. */
void layer_name_note(struct layer_device *device, VkObjectType type, uint64_t object, const char *name);

/* ---- where things are: objects.c ---- */

void layer_objects_init(struct layer_device *device);
void layer_objects_finish(struct layer_device *device);
void layer_object_add_buffer(struct layer_device *device, VkBuffer handle, VkDeviceSize size);
void layer_object_add_acceleration_structure(struct layer_device *device, VkAccelerationStructureKHR handle,
                                             const VkAccelerationStructureCreateInfoKHR *info);
void layer_object_remove(struct layer_device *device, uint64_t handle);
int layer_object_at(void *device, uint64_t va, struct hdb_object *found); /* struct hdb_object_source's */
void layer_object_each(void *device, void (*visit)(void *visitor, const char *name, uint64_t va, uint64_t size),
                       void *visitor);

/* ---- command buffers: commands.c, labels.c, recorder.c ---- */

struct layer_label_event {
   uint32_t position; /* number of dispatches recorded before it */
   char *name;        /* NULL: end of the innermost label */
};

struct layer_command_buffer {
   VkCommandBuffer handle;
   VkCommandPool pool;

   struct layer_label_event *events;
   uint32_t event_count, event_capacity;
   bool ends_frame; /* a marker in it says so */

   /* Only without a driver, whose records are better. */
   VkPipeline pipeline;
   uint32_t push_constant_size;
   uint8_t push_constants[HDB_MAX_PUSH_CONSTANTS];
   struct hdb_dispatch *dispatches;
   uint32_t dispatch_count, dispatch_capacity;

   UT_hash_handle hh;
};

/* NULL: not seen. The result belongs to whoever may use the command buffer. */
struct layer_command_buffer *layer_command_buffer_find(struct layer_device *device, VkCommandBuffer handle);
void layer_command_buffer_add(struct layer_device *device, VkCommandPool pool, VkCommandBuffer handle);
void layer_command_buffer_reset(struct layer_command_buffer *commands);
void layer_command_buffer_remove(struct layer_device *device, VkCommandBuffer handle);
void layer_command_pool_remove(struct layer_device *device, VkCommandPool pool);
void layer_command_buffers_finish(struct layer_device *device);

/* Labels in force at the n-th dispatch, followed while n grows. */
struct layer_label_cursor {
   const struct layer_command_buffer *commands; /* NULL: none */
   uint32_t next_event;
   const char **stack; /* the innermost last */
   uint32_t depth, capacity;
};

void layer_label_begin(struct layer_device *device, VkCommandBuffer commands, const char *name);
void layer_label_end(struct layer_device *device, VkCommandBuffer commands);
void layer_label_cursor_init(struct layer_label_cursor *cursor, const struct layer_command_buffer *commands);
void layer_label_cursor_move(struct layer_label_cursor *cursor, uint32_t position);
void layer_label_cursor_finish(struct layer_label_cursor *cursor);

void layer_recorder_bind(struct layer_device *device, VkCommandBuffer commands, VkPipeline pipeline);
void layer_recorder_push(struct layer_device *device, VkCommandBuffer commands, uint32_t offset, uint32_t size,
                         const void *values);
void layer_recorder_dispatch(struct layer_device *device, VkCommandBuffer commands, const uint32_t base[3],
                             const uint32_t grid[3], uint32_t flags);
void layer_recorder_execute(struct layer_device *device, VkCommandBuffer commands, uint32_t count,
                            const VkCommandBuffer *secondaries);

/* ---- queues and submissions: queue.c, submit.c, watcher.c, dispatches.c ---- */

#define LAYER_QUEUE_NAME_SIZE 24

struct layer_queue {
   struct layer_device *device;
   VkQueue handle;
   char name[LAYER_QUEUE_NAME_SIZE]; /* "queue FAMILY.INDEX" */

   /* Labels of the queue; the application synchronises access. */
   char **labels;
   uint32_t label_depth, label_capacity;

   /* The watcher: waits for submissions in order, since a queue finishes them so. */
   pthread_mutex_t lock;
   pthread_cond_t wake;
   pthread_t thread;
   bool has_thread, stopping;
   struct layer_submission *first, *last;

   struct layer_queue *next;
};

void layer_queue_add(struct layer_device *device, VkQueue handle, uint32_t family, uint32_t index);
struct layer_queue *layer_queue_find(struct layer_device *device, VkQueue handle); /* NULL: never fetched */
void layer_queue_begin_label(struct layer_queue *queue, const char *name);
void layer_queue_end_label(struct layer_queue *queue);
void layer_queues_finish(struct layer_device *device); /* no submission may be watched any more */

/* A submission that the engine was told of, from the decision to the GPU's end. */
struct layer_submission {
   struct layer_queue *queue;
   VkFence fence; /* behind it on the same queue */
   uint64_t token;
   const void **command_buffers; /* all whose dispatches it holds; owned */
   size_t command_buffer_count;
   bool generated;  /* it holds generated dispatches */
   bool waits;      /* for semaphores */
   uint64_t number; /* of all of the device */
   struct layer_submission *next_pending, *next_watched;
};

/* Gathers the dispatches, tells the engine, which may block until the user has answered. NULL: nothing to wait for. */
struct layer_submission *layer_submission_begin(struct layer_device *device, VkQueue queue, uint32_t frame,
                                                uint32_t count, const VkCommandBuffer *command_buffers);
/* After the submission, still in the application's call. */
void layer_submission_end(struct layer_submission *submission, VkResult result);
/* The GPU is done with it, or it never began. Frees it. */
void layer_submission_complete(struct layer_submission *submission, VkResult result);

/* Before the device goes: its watchers have a moment to tell the engine of what the application has waited for. */
void layer_submissions_catch_up(struct layer_device *device);

/* Before a command buffer, or every one of a pool, is freed, reset or recorded again. The GPU is done with it then, but
 * the watcher may be a moment behind, and what it disarms are words in that command buffer: waits for it. */
void layer_submissions_settle(struct layer_device *device, VkCommandBuffer commands);
void layer_submissions_settle_pool(struct layer_device *device, VkCommandPool pool);
/* The same for words in indirect execution sets. */
void layer_submissions_settle_generated(struct layer_device *device);

int layer_watcher_start(struct layer_queue *queue);
void layer_watcher_stop(struct layer_queue *queue);
void layer_watcher_add(struct layer_queue *queue, struct layer_submission *submission);

/* What a submission would run, with copies of all names. */
struct layer_offers {
   uint32_t frame;
   struct hdb_offer *offers;
   size_t count, capacity;
   char *text; /* names, until layer_offers_seal() as offsets plus one in the offers' pointers */
   size_t text_size, text_capacity;
   bool failed; /* out of memory: the rest is missing */
};

void layer_offers_add(struct layer_offers *offers, struct layer_device *device, struct layer_queue *queue,
                      VkCommandBuffer commands);
/* Lets the application's callbacks answer. No lock may be held. */
void layer_callbacks_offer(struct layer_device *device, struct layer_queue *queue, struct layer_offers *offers);
void layer_offers_seal(struct layer_offers *offers);
void layer_offers_finish(struct layer_offers *offers);

/* ---- bytes of push constants: push_sizes.c ---- */

void layer_push_size_of_layout(struct layer_device *device, VkPipelineLayout layout,
                               const VkPipelineLayoutCreateInfo *info);
void layer_push_size_of_shader(struct layer_device *device, VkShaderEXT shader, const VkShaderCreateInfoEXT *info);
void layer_push_size_of_pipeline(struct layer_device *device, VkPipeline pipeline, VkPipelineLayout layout);
void layer_push_size_forget_layout(struct layer_device *device, VkPipelineLayout layout);
void layer_push_size_forget(struct layer_device *device, uint64_t object);
/* Not more of the record's than its pipeline has. With the device's lock. */
void layer_push_size_cut(struct layer_device *device, struct hdb_dispatch *record);
void layer_push_sizes_finish(struct layer_device *device);

/* ---- shaders of other drivers: stand_ins.c ---- */

void layer_module_add(struct layer_device *device, VkShaderModule handle, const VkShaderModuleCreateInfo *info);
void layer_module_remove(struct layer_device *device, VkShaderModule handle);
void layer_stand_in_add(struct layer_device *device, VkPipeline pipeline, const VkPipelineShaderStageCreateInfo *stage);
void layer_stand_in_remove(struct layer_device *device, VkPipeline pipeline);
uint64_t layer_stand_in_id(struct layer_device *device, VkPipeline pipeline); /* of its shader; 0: there is none */
void layer_stand_ins_finish(struct layer_device *device);

/* ---- shader code: spirv.c ---- */

/* False: it can't be SPIR-V; one line has said why, and that it came with the call `where`. */
bool layer_spirv_check(const void *code, size_t size, const char *where);
bool layer_spirv_check_stages(const VkPipelineShaderStageCreateInfo *stages, uint32_t count, const char *where);

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
