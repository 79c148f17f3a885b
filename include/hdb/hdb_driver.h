/* SPDX-License-Identifier: MIT */
/*
 * The contract between VK_LAYER_hdb and a driver that supports it (hdb's fork of RADV).
 *
 * The layer chains a struct hdb_driver_link into VkDeviceCreateInfo::pNext. A driver that does not know the
 * structure ignores it, as the specification demands, and leaves `*link->driver` NULL. A driver that knows it turns
 * reporting on for that device and fills in the pointer.
 *
 * The header uses no Vulkan types, so that the debugger's core can include it: handles are passed as `void *`
 * (dispatchable) or `uint64_t` (non-dispatchable). Addresses are canonical (sign-extended) 64-bit GPU virtual
 * addresses. The driver exports facts keyed by SPIR-V byte offsets and ids; names, types, scopes and lines are read
 * from the SPIR-V by the debugger.
 */
#ifndef HDB_DRIVER_H
#define HDB_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HDB_DRIVER_VERSION 2

/* A private VkStructureType, outside every range that Khronos hands out to extensions (1000000000 + 1000 * n). */
#define HDB_STRUCTURE_TYPE_DRIVER_LINK 0x68646200

/* How the layer tells the driver's physical devices from others while there is no VkDevice yet. */
#define HDB_DRIVER_INFO_MARK "(hdb)"            /* VkPhysicalDeviceDriverProperties::driverInfo contains it */
#define HDB_VIRTUAL_DEVICE_PREFIX "hdb virtual" /* deviceName of the virtual GPU begins with it */

enum hdb_shader_flags {
   HDB_SHADER_INTERNAL = 1 << 0, /* the driver's own (copies, clears, query resolves) */
   /* Statements as written; each starts with a real `s_nop` pad. What the SGPRs and VGPRs hold at wave start (user
    * data, workgroup id, thread ids) stays in them to the end. */
   HDB_SHADER_DEBUG_COMPILED = 1 << 1
};

/* Immediate of the `s_nop` that begins a statement in a debug-compiled shader. Only the low four bits mean something to
 * the hardware (wait states); the compiler emits no such s_nop otherwise. */
#define HDB_STATEMENT_PAD 0x000d

/* A place in the SPIR-V. Entry 0 of the table is "unknown". Locations are indices into this table. */
struct hdb_location {
   uint32_t spirv_offset; /* bytes from the start of the module to the instruction's first word; 0: unknown */
   uint32_t inlined_at;   /* location of the OpFunctionCall that this place was inlined into; 0: not inlined */
};

/* One entry for every machine instruction, sorted by pc. */
struct hdb_pc_location {
   uint32_t pc;         /* bytes from the first instruction */
   uint32_t location;   /* index into locations */
   uint32_t location_y; /* the Y half of a VOPD instruction; 0 otherwise */
};

#define HDB_MAX_DESCRIPTOR_SETS 32
#define HDB_MAX_PUSH_CONSTANTS 256
#define HDB_NO_SGPR 0xff

/* Where the launch puts what the API bound: SGPR numbers at wave start, HDB_NO_SGPR if not passed. */
struct hdb_user_sgprs {
   uint8_t descriptor_set[HDB_MAX_DESCRIPTOR_SETS]; /* low 32 bits of the set's address */
   uint8_t indirect_descriptor_sets;                /* low 32 bits of the address of a table of set addresses */
   uint8_t push_constants;                          /* low 32 bits of the address of the constants */
   uint8_t inline_push_constants;                   /* first of the constants passed by value */
   uint8_t grid_size;                               /* first of three */
   uint64_t inline_push_constant_mask;              /* bit n: dword n of the constants is passed by value, packed */
};

struct hdb_shader {
   uint64_t id;        /* unique in the process, never used again */
   uint64_t va;        /* first instruction */
   uint32_t code_size; /* bytes, constant data included */
   uint32_t exec_size; /* bytes of instructions */
   void *code;         /* the code itself, mapped for the CPU, readable and writable */
   uint32_t flags;     /* enum hdb_shader_flags */
   uint32_t wave_size; /* 32 or 64 lanes */
   /* 0: nothing launches it, it is a stage of ray tracing, to which others jump */
   uint32_t workgroup_size[3];
   uint32_t rsrc1, rsrc2, rsrc3; /* COMPUTE_PGM_RSRC1..3 as compiled */
   uint32_t sgpr_count, vgpr_count;
   uint32_t lds_size;              /* bytes a workgroup */
   uint32_t scratch_size_per_wave; /* bytes */
   struct hdb_user_sgprs user_sgprs;
   const char *entry_point;
   /* The module given to the driver; NULL for internal shaders and shaders made from binaries. Where stages of ray
    * tracing were inlined, their modules follow, one behind the other, and offsets count through all. */
   const uint32_t *spirv;
   uint32_t spirv_size; /* bytes */
   uint32_t location_count, pc_location_count;
   const struct hdb_location *locations;
   const struct hdb_pc_location *pc_locations;
};

enum hdb_dispatch_flags {
   HDB_DISPATCH_INTERNAL = 1 << 0,
   HDB_DISPATCH_INDIRECT = 1 << 1, /* grid is unknown until it runs; indirect_va holds three dwords */
   /* Made by the GPU (device-generated commands): any number of them, with unknown grids. If they take their registers
    * from elsewhere, rsrc2_dword and rsrc3_dword are NULL. */
   HDB_DISPATCH_GENERATED = 1 << 2,
   HDB_DISPATCH_CONDITIONAL = 1 << 3, /* the GPU skips it if the dword at condition_va is zero */
   HDB_DISPATCH_INVERTED = 1 << 4     /* or, with this, if it is not */
};

/*
 * One dispatch as recorded in a command buffer, dispatches of executed secondary command buffers included.
 *
 * rsrc2_dword and rsrc3_dword point at the values of the SET_SH_REG packets that the driver emits for this dispatch
 * alone. The layer may change them while the command buffer is not pending; they stay valid until the command buffer
 * is reset, freed or recorded again. A dispatch in a secondary command buffer that the GPU calls (rather than one
 * copied into its primary) has one pair for all its executions: HDB_DISPATCH is then repeated with the same pointers.
 *
 * One that traces rays launches a shader of the driver's, the prolog, which jumps to the stages: the shader is
 * internal, the dispatch is not. Its indirect_va holds the number of rays, as traced, and not of workgroups.
 */
struct hdb_dispatch {
   uint64_t shader_id;
   uint64_t pipeline;    /* VkPipeline or VkShaderEXT; 0 for internal dispatches */
   void *command_buffer; /* the one it was recorded into */
   uint32_t ordinal;     /* position among the dispatches recorded into that command buffer, internal ones included */
   uint32_t flags;       /* enum hdb_dispatch_flags */
   uint32_t grid[3];     /* workgroups */
   uint32_t base[3];     /* first workgroup id */
   uint64_t indirect_va;
   uint64_t condition_va;
   uint32_t *rsrc2_dword;
   uint32_t *rsrc3_dword;
   uint64_t descriptor_set_va[HDB_MAX_DESCRIPTOR_SETS]; /* 0: not bound */
   uint32_t push_constant_size;
   uint8_t push_constants[HDB_MAX_PUSH_CONSTANTS];
};

enum hdb_memory_flags {
   HDB_MEMORY_UNCACHED = 1 << 0, /* MTYPE UC: seen by the host while waves run */
   HDB_MEMORY_EXECUTABLE = 1 << 1
};

struct hdb_memory {
   uint64_t va;
   uint64_t size;
   void *map;    /* mapped for the CPU */
   void *handle; /* the driver's */
};

/* Implemented by the driver, one for each device. All functions may be called from any thread. */
struct hdb_driver {
   uint32_t version; /* HDB_DRIVER_VERSION the driver was built with */
   bool virtual_gpu;
   int drm_fd; /* render node, or the virtual GPU's descriptor */

   /* Copies up to `capacity` records of `command_buffer`, in order of execution; returns how many there are.
    * The command buffer must be in the executable or pending state. With capacity 0 it may also be called while the
    * command buffer is being recorded, by the thread that records it: the count is then the position that the next
    * record will have. */
   uint32_t (*get_dispatches)(struct hdb_driver *driver, void *command_buffer, struct hdb_dispatch *dispatches,
                              uint32_t capacity);

   /* GPU memory for the debugger, mapped for reading and writing by both. 0 or negative errno. It outlives the device,
    * as long as another one is there in the process's address space on that card, whose free_memory takes it. */
   int (*alloc_memory)(struct hdb_driver *driver, uint64_t size, uint32_t flags, struct hdb_memory *memory);
   void (*free_memory)(struct hdb_driver *driver, struct hdb_memory *memory);
};

enum hdb_driver_link_flags {
   HDB_DRIVER_COMPILE_DEBUG = 1 << 0 /* compile shaders for debugging; fixed for the life of the device */
};

struct hdb_driver_link {
   int32_t sType; /* HDB_STRUCTURE_TYPE_DRIVER_LINK */
   const void *pNext;
   uint32_t version; /* HDB_DRIVER_VERSION the layer was built with */
   uint32_t flags;   /* enum hdb_driver_link_flags */

   /* Called by the driver on the application's threads, for every compute shader (and every stage of a ray tracing
    * pipeline) from its upload to its destruction. The pointer given to shader_created, and all it points at, stays
    * valid until shader_destroyed returns. The callbacks must not call Vulkan. */
   void (*shader_created)(void *user, const struct hdb_shader *shader);
   void (*shader_destroyed)(void *user, const struct hdb_shader *shader);
   void *user;

   /* Set to the device's struct hdb_driver before vkCreateDevice returns; valid until vkDestroyDevice. */
   struct hdb_driver **driver;
};

#ifdef __cplusplus
}
#endif

#endif
