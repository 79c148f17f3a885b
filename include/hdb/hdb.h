/* SPDX-License-Identifier: MIT */
/*
 * Debugging from the application's own code: callbacks of VK_LAYER_hdb, in the manner of VK_EXT_debug_utils.
 * docs/callbacks.md is the guide, samples/engine.c a whole program.
 *
 * A messenger is created in one of two ways:
 *  - for a device, by hdb_messenger_create, which vkGetInstanceProcAddr(instance, "hdb_messenger_create") gives (or
 *    vkGetDeviceProcAddr). NULL: the layer is not there, and there is nothing to do.
 *  - for all devices of an instance, by chaining a struct hdb_messenger_create_info into VkInstanceCreateInfo::pNext.
 *    It lives as long as the instance. Without the layer nobody looks at it.
 *
 * The header uses no Vulkan types: it goes with any version of Vulkan's. `device` is the VkDevice, other dispatchable
 * handles are `void *`, non-dispatchable ones `uint64_t`.
 *
 * Functions return 0 or a negative number of <errno.h>, -EINVAL for a NULL where none may be; the text of the last
 * failure is in `hdb_stop::error`.
 *
 * Threads. Dispatch callbacks are called on the thread that submits, within its vkQueueSubmit, before the driver's.
 * All others are called on a thread of hdb's own, one at a time; signals are blocked there, and its locale is "C".
 *
 * Lifetime. What a callback is given, and what its functions return, is valid until it returns. The create info's own
 * memory is not used after creation. A messenger may be destroyed at any time, in its own callbacks too: when
 * hdb_messenger_destroy returns, no other thread is in one of its callbacks, and none of them will be called again.
 *
 * Re-entrancy. A callback may call Vulkan, with these limits. In a dispatch callback: not with the queue, nor with the
 * command buffers, that are being submitted. On hdb's thread: nothing that waits for the GPU, whose waves stand still
 * until the callback returns, and no destruction of the device. Submissions made on hdb's thread are passed on without
 * a dispatch callback and without a question; their dispatches can stop at breakpoints only. A thread that submits
 * waits while a stop callback is running: the callback must not wait for such a thread.
 */
#ifndef HDB_HDB_H
#define HDB_HDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HDB_CALLBACKS_VERSION 1

/* A private VkStructureType, outside of every range that Khronos hands out to extensions. */
#define HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO 0x68646201

/* ---- what is reported ---- */

enum hdb_severity {
   HDB_SEVERITY_VERBOSE = 1 << 0, /* dispatches */
   HDB_SEVERITY_INFO = 1 << 1,    /* stops, log lines of shaders */
   HDB_SEVERITY_WARNING = 1 << 2, /* what could not be done */
   HDB_SEVERITY_ERROR = 1 << 3,   /* faults */
   HDB_SEVERITY_ALL = 0xf
};

enum hdb_report {
   HDB_REPORT_DISPATCH = 1 << 0,
   HDB_REPORT_STOP = 1 << 1,
   HDB_REPORT_FAULT = 1 << 2,
   HDB_REPORT_MESSAGE = 1 << 3, /* lines of hdb's own */
   HDB_REPORT_ALL = 0xf
};

/* ---- resources: what a dispatch can reach ---- */

enum hdb_resource_kind {
   HDB_RESOURCE_BUFFER,
   HDB_RESOURCE_TEXEL_BUFFER,
   HDB_RESOURCE_IMAGE,
   HDB_RESOURCE_SAMPLER,
   HDB_RESOURCE_ACCELERATION_STRUCTURE,
   HDB_RESOURCE_NULL,      /* a null descriptor */
   HDB_RESOURCE_UNREADABLE /* the set is not bound, or its memory is out of reach: `description` says which */
};

struct hdb_resource {
   uint32_t set, binding, element;
   enum hdb_resource_kind kind;
   const char *name;        /* in the shader; NULL: it has none */
   const char *object;      /* by VK_EXT_debug_utils, with its kind: buffer "blades"; NULL: not named */
   const char *description; /* one line for people */
   uint64_t address, size;  /* of buffers: GPU virtual address and bytes; of images: where they begin, 0 */
   uint32_t width, height, depth, layers, levels; /* of images, else 0 */
   const char *format;                            /* of images and texel buffers, else NULL */
};

/* ---- dispatches ---- */

struct hdb_dispatch_info;

struct hdb_shader_info {
   const char *program;     /* "blur.comp:main" */
   const char *file;        /* as the module spells it; NULL: it names none */
   const char *entry_point; /* may be NULL */
   uint32_t workgroup[3];   /* size, in invocations */
   uint32_t wave_size;      /* lanes */
   bool debug_compiled;     /* every statement can be stopped at, and every variable set */
};

struct hdb_dispatch_functions {
   int (*describe_shader)(const struct hdb_dispatch_info *dispatch, const struct hdb_shader_info **shader);
   int (*list_resources)(const struct hdb_dispatch_info *dispatch, const struct hdb_resource **resources,
                         uint32_t *count);
   int (*read_memory)(const struct hdb_dispatch_info *dispatch, uint64_t address, void *data, size_t size);
};

/* One that is about to be submitted. */
struct hdb_dispatch_info {
   const struct hdb_dispatch_functions *functions;
   void *device, *queue, *command_buffer;
   uint64_t pipeline;         /* VkPipeline or VkShaderEXT */
   const char *pipeline_name; /* that the application gave it, or NULL */
   const char *queue_name;    /* that the application gave it, else "queue FAMILY.INDEX" */
   const char *const *labels; /* in force, outermost first */
   uint32_t label_count;
   bool indirect;             /* the grid is in GPU memory: unknown until it runs */
   bool generated;            /* made on the GPU (device-generated commands): any number of dispatches */
   bool attachable;           /* false: the driver is not hdb's, or its command buffer is running already */
   uint32_t base[3], grid[3]; /* first workgroup and number of workgroups */
   const void *push_constants;
   uint32_t push_constant_size; /* bytes */
};

enum hdb_dispatch_answer {
   HDB_DISPATCH_PASS = 0, /* the next messenger answers; after the last one, settings and an attached debugger */
   HDB_DISPATCH_SKIP,     /* it runs, and stops at breakpoints only; nobody is asked about it */
   HDB_DISPATCH_ATTACH,   /* it stops at its first instruction */
   HDB_DISPATCH_CAPTURE   /* it is written to a capture file */
};

typedef enum hdb_dispatch_answer (*hdb_dispatch_callback)(const struct hdb_dispatch_info *dispatch, void *user);

/* ---- stops ---- */

struct hdb_stop;

/* A wave that hdb knows of. */
struct hdb_wave_info {
   uint32_t wave; /* its number; waves are numbered through the process */
   bool stopped;  /* else it runs, and only this is known of it */
   bool workgroup_known;
   uint32_t workgroup[3]; /* of which it is the wave `index` */
   uint32_t index;
   uint32_t wave_size;    /* lanes: 32 or 64 */
   uint64_t active_lanes; /* EXEC, a bit for each */
   uint64_t pc;
   const char *file; /* NULL: no source is known there */
   uint32_t line;
   const char *dispatch; /* name of its dispatch, or NULL */
};

struct hdb_value_info {
   const char *text; /* as the debugger prints it */
   const char *type; /* as the shader's language writes it */
   double number;    /* of scalars: its value */
   bool is_number;
   bool in_memory; /* at `address` */
   uint64_t address;
};

/*
 * `wave` is a wave's number, 0: the one that the stop is shown for. `lane` is one of its lanes, HDB_LANE_FOCUS: the
 * one that the stop is shown for, if it is in that wave, else the first that is active.
 */
#define HDB_LANE_FOCUS 0xffffffffu

struct hdb_stop_functions {
   int (*list_waves)(const struct hdb_stop *stop, const struct hdb_wave_info **waves, uint32_t *count);

   /* "v7" of a lane; "s4", "m0", "scc", "mode", "status", "vcc_lo", "vcc_hi", "exec_lo", "exec_hi" of the wave; "pc",
    * "exec", "vcc" with 64 bits. -EINVAL: there is no such register. */
   int (*read_register)(const struct hdb_stop *stop, uint32_t wave, uint32_t lane, const char *name, uint64_t *value);
   int (*write_register)(const struct hdb_stop *stop, uint32_t wave, uint32_t lane, const char *name, uint64_t value);

   /* An expression in the shader's language, as the debugger's `print` takes it: "x[3]", "color.rg * 2",
    * "gl_GlobalInvocationID.x", "$v7[5]". Assignments change what they name: "y[3] = 7.0". */
   int (*evaluate)(const struct hdb_stop *stop, uint32_t wave, uint32_t lane, const char *expression,
                   struct hdb_value_info *value);

   /* Memory as the GPU sees it. Of a range that is not mapped in full, nothing is read or written: -EFAULT. */
   int (*read_memory)(const struct hdb_stop *stop, uint64_t address, void *data, size_t size);
   int (*write_memory)(const struct hdb_stop *stop, uint64_t address, const void *data, size_t size);

   /* Of the dispatch that the stop is in. -ENOENT: it is not known. */
   int (*list_resources)(const struct hdb_stop *stop, const struct hdb_resource **resources, uint32_t *count);
   /* `size`: bytes that `data` has, then how many there are. -ENOSPC: these are more, nothing was read. */
   int (*read_push_constants)(const struct hdb_stop *stop, void *data, size_t *size);
   /* A level and layer (of 3D images: slice) of an image, row by row without gaps, four floats a texel (integers as
    * numbers). `size`: bytes that `rgba` has, 16 * width * height of that level are needed. */
   int (*read_image)(const struct hdb_stop *stop, const struct hdb_resource *image, uint32_t level, uint32_t layer,
                     float *rgba, size_t size);

   /* Which lane (and wave) a step follows. */
   int (*set_focus)(const struct hdb_stop *stop, uint32_t wave, uint32_t lane);
};

enum hdb_stop_reason {
   HDB_STOP_REASON_ENTRY,      /* of a dispatch that was attached to */
   HDB_STOP_REASON_BREAKPOINT, /* set by a debugger or by settings; or debugBreak in a shader */
   HDB_STOP_REASON_STEP,       /* the step has ended; or its wave has, and another one is shown */
   HDB_STOP_REASON_PAUSE,      /* a debugger, or hdb_trigger, has asked for it */
   HDB_STOP_REASON_WATCHPOINT, /* memory that a debugger watches was touched */
   HDB_STOP_REASON_EXCEPTION   /* a fault in a shader; `text` says which */
};

struct hdb_stop {
   const struct hdb_stop_functions *functions;
   const char *error; /* what was wrong with the last call of a function that failed; NULL: none has */
   void *device;
   enum hdb_stop_reason reason;
   const char *text; /* one line for people: "entry of saxpy at saxpy.comp:10" */
   uint32_t wave, lane;
   uint64_t pc;
   const char *file; /* NULL: no source is known there */
   uint32_t line;
   const char *dispatch; /* NULL: not known of which dispatch the wave is */
   uint32_t dispatch_number;
   const char *label; /* innermost one, or NULL */
   const char *queue;
};

enum hdb_stop_answer {
   HDB_STOP_PASS = 0, /* the next messenger answers; after the last one, an attached debugger; else the waves run on */
   HDB_STOP_RESUME,
   HDB_STOP_STEP_OVER, /* to the next statement that the lane in focus comes to in this function, or behind it */
   HDB_STOP_STEP_INTO,
   HDB_STOP_STEP_OUT,
   HDB_STOP_STEP_INSTRUCTION,
   HDB_STOP_HOLD /* stopped until hdb_stop_visit's callback answers otherwise, or a debugger lets it run on */
};

typedef enum hdb_stop_answer (*hdb_stop_callback)(const struct hdb_stop *stop, void *user);

/* ---- faults and messages ---- */

enum hdb_fault_kind {
   HDB_FAULT_DEVICE_LOST,
   HDB_FAULT_MEMORY,     /* a wave was stopped at a memory violation; a stop follows */
   HDB_FAULT_INSTRUCTION /* at an illegal instruction, an arithmetic exception or an s_trap; a stop follows */
};

struct hdb_fault_info {
   void *device;
   enum hdb_fault_kind kind;
   const char *text;     /* one line for people */
   const char *dispatch; /* name of the dispatch; of a lost device, the first one that was lost; NULL: not known */
   bool address_known;
   uint64_t address; /* page of the last memory fault */
};

typedef void (*hdb_fault_callback)(const struct hdb_fault_info *fault, void *user);

struct hdb_message_info {
   void *device; /* NULL: it is about no device in particular, and told to the messengers of all */
   enum hdb_severity severity;
   const char *text; /* a line, without its end; what shaders print is informational */
};

typedef void (*hdb_message_callback)(const struct hdb_message_info *message, void *user);

/* ---- frames ---- */

enum hdb_trigger {
   HDB_TRIGGER_STOP,   /* the debugger that is connected chooses among the frame's dispatches */
   HDB_TRIGGER_CAPTURE /* to a file, with or without a debugger */
};

/* ---- messengers ---- */

struct hdb_messenger;

struct hdb_messenger_create_info {
   int32_t sType; /* HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO */
   const void *pNext;
   uint32_t version;    /* HDB_CALLBACKS_VERSION */
   uint32_t severities; /* enum hdb_severity */
   uint32_t reports;    /* enum hdb_report: which of the callbacks below are called */
   hdb_dispatch_callback dispatch;
   hdb_stop_callback stop;
   hdb_fault_callback fault;
   hdb_message_callback message;
   void *user;
};

/* Messengers are called in the order in which they were created, those of the instance first. -EINVAL: not this
 * version, or a structure that is none. */
typedef int (*PFN_hdb_messenger_create)(void *device, const struct hdb_messenger_create_info *info,
                                        struct hdb_messenger **messenger);
typedef void (*PFN_hdb_messenger_destroy)(void *device, struct hdb_messenger *messenger); /* NULL: nothing is done */

/* Calls `callback` on hdb's thread with what is stopped on this device, and does what it answers; HDB_STOP_PASS leaves
 * it as it is. Waits for it. -ENOENT: nothing is stopped. From any thread but hdb's. */
typedef int (*PFN_hdb_stop_visit)(void *device, hdb_stop_callback callback, void *user);

/* The next frame is stopped in, or captured, as by its key (`file` NULL: also to the same place). From any thread.
 * -EINVAL: neither of these, or it can't be now, which a line of hdb's says. */
typedef int (*PFN_hdb_trigger)(void *device, enum hdb_trigger kind, const char *file);

#ifdef __cplusplus
}
#endif

#endif
