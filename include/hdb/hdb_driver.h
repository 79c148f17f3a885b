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

#define HDB_DRIVER_VERSION 5

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

enum hdb_variable_kind {
   HDB_VARIABLE_SCRATCH, /* in the scratch of each lane (debug-compiled) */
   HDB_VARIABLE_LDS      /* in the LDS of the workgroup (all shaders) */
};

/* A variable that lives in memory all the time. Scalars are aligned to their size, nothing else is padded, and a bool
 * takes 4 bytes: 0 or not. Workgroup variables with explicit layouts lie as these say.
 *
 * A function that is inlined at two places has each variable twice, the locations tell them by their inlined_at.
 * Private variables are not inlined. What is not here takes no memory, or is opaque. */
struct hdb_variable {
   uint32_t kind;     /* enum hdb_variable_kind */
   uint32_t location; /* of the OpVariable */
   uint32_t offset;   /* bytes */
};

enum hdb_value_kind {
   HDB_VALUE_CONSTANT,  /* `constant` */
   HDB_VALUE_VGPR,      /* register `where`, from byte `byte` on; 64 bits take the next register, too */
   HDB_VALUE_SGPR,      /* likewise; the same for all lanes. 106 and 107 are VCC */
   HDB_VALUE_LANE_MASK, /* a bool: the lane's bit in SGPR `where` (lanes 0 to 31) and the next (32 to 63) */
   HDB_VALUE_SCC,       /* a bool, the same for all lanes */
   HDB_VALUE_SCRATCH,   /* bytes `where` on of the lane's scratch */
   /* An SGPR that was spilled: lane `lane` of VGPR `where`, and the next lane for what takes two. A bool is a lane mask
    * as above. */
   HDB_VALUE_VGPR_LANE
};

/*
 * Where a scalar of the SPIR-V is while a wave is stopped before an instruction at low <= pc < high.
 *
 * merge 0: component `component` of the result of the instruction at `location`, or of the parameter there. Scalars of
 * vectors, matrices, arrays and structs are counted through in order. It is that of the last time the instruction was
 * executed, provided it was: the code of either arm of an `if` may run for all lanes, and ahead of its turn. So it
 * tells something only where `location` dominates the place of the stop: on all ways to there, in this call and within
 * the iteration of the innermost loop around `location`.
 *
 * merge not 0: component `component` of the variable whose OpVariable is at `location`, as it is just before the
 * instruction at `merge`. It tells something where `merge` dominates the place of the stop and nothing on the way
 * stores to the variable.
 *
 * It holds for the lanes that are active. A scalar may have more than one entry for a pc, then all are right. What
 * belongs to a pass through an unrolled loop is only given for the code of the same pass. Instructions that only hand
 * on other results (composites, copies, loads of the function's own variables) have no entries.
 */
struct hdb_value {
   uint32_t low, high; /* bytes from the first instruction */
   uint32_t location;
   uint32_t merge;
   uint16_t component;
   uint8_t kind; /* enum hdb_value_kind */
   /* 8, 16, 32, 64: all of the scalar, it is not there if the driver narrowed it. 1 for a bool, or 32: it is 0 or 1. */
   uint8_t bits;
   uint32_t where;
   uint8_t byte, lane;
   uint64_t constant; /* a bool: 0 or 1 */
};

/* Value of a specialization constant, as given at the creation of the pipeline. Others have their default. */
struct hdb_specialization {
   uint32_t constant_id;
   uint32_t size; /* bytes of the value; 4 for bools */
   uint64_t value;
};

enum hdb_binding_flags {
   HDB_BINDING_DYNAMIC = 1 << 0,        /* dynamic offset: see offset */
   HDB_BINDING_INLINE = 1 << 1,         /* inline uniform block: the set holds the data, `stride` bytes */
   HDB_BINDING_VARIABLE_COUNT = 1 << 2, /* `count` is the most there may be, see hdb_dispatch::descriptor_set_size */
   HDB_BINDING_IMMUTABLE_SAMPLERS = 1 << 3, /* the set may hold no samplers, the code has them */
   HDB_BINDING_PUSH = 1 << 4,               /* in a set of push descriptors */
   HDB_BINDING_EMBEDDED = 1 << 5            /* embedded immutable samplers: there is no such set in memory */
};

/*
 * A binding in the pipeline's layout. Element i is at offset + i * stride of the set, whose address the launch passes
 * (user_sgprs, hdb_dispatch::descriptor_set_va; with descriptor buffers that is the address of the buffer plus its
 * offset). An element is
 *  - of buffers and texel buffers: 16 bytes, a V#
 *  - of storage images: 32 bytes, a T#, or a V# if it is one of a buffer
 *  - of sampled images and input attachments: 64 bytes, a T#, and behind it that of plane 1
 *  - of combined image samplers: those 64 bytes, and at stride - 16 the S#. Between them lie 16 bytes of plane 2
 *  - of samplers: 16 bytes, an S#
 *  - of acceleration structures: 16 bytes, an address and 8 bytes of no meaning to shaders
 *  - of mutable ones: any of these, but combined image samplers
 *  - with HDB_BINDING_DYNAMIC: 16 bytes, a V# with the dynamic offset in its address, and `offset` counts from the
 *    push constants, behind which they lie (hdb_dispatch::dynamic_descriptors has them, too)
 */
struct hdb_binding {
   uint32_t set, binding;
   uint32_t type;  /* VkDescriptorType */
   uint32_t flags; /* enum hdb_binding_flags */
   uint32_t count; /* elements */
   uint32_t offset, stride;
};

#define HDB_MAX_DESCRIPTOR_SETS 32
#define HDB_MAX_PUSH_CONSTANTS 256
#define HDB_MAX_DYNAMIC_DESCRIPTORS 32
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

   uint32_t variable_count, value_count, specialization_count, binding_count;
   const struct hdb_variable *variables;
   /* Sorted by location, merge, component, low. Of opaque things there are none; addresses are 64 bits. */
   const struct hdb_value *values;
   const struct hdb_specialization *specializations;
   const struct hdb_binding *bindings; /* sorted by set, binding */
   uint32_t push_constant_size;        /* bytes of the layout, rounded up by the driver; dynamic descriptors follow */
   uint32_t address_high;              /* high 32 bits of all addresses of which an SGPR has the low ones */
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
   /* Bytes that a set with a variable count was allocated with, up to the last descriptor; 0: of others, or not known.
    */
   uint32_t descriptor_set_size[HDB_MAX_DESCRIPTOR_SETS];
   uint32_t push_constant_size;
   uint8_t push_constants[HDB_MAX_PUSH_CONSTANTS];
   uint32_t dynamic_descriptor_count;
   uint32_t dynamic_descriptors[HDB_MAX_DYNAMIC_DESCRIPTORS][4]; /* V#s in order of the layout */
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

/*
 * What the device's shaders print: the lines of NonSemantic.DebugPrintf that have not been read. The memory is of the
 * host, and not cached for the GPU; it is there as long as the device, lost or not.
 *
 * A wave takes room for one record, of all its active lanes, by adding its size to `reserved`. If that is more than
 * there is, behind `tail`, it takes the size back, adds its lanes to `dropped` and goes on: it never waits. Else it
 * adds the size to `head` as well: there the record begins. It is whole once its `lanes` are there.
 *
 * Positions count dwords, modulo 2^32. A record lies at its position modulo HDB_PRINT_RING_DWORDS and may go on behind
 * the end. The host reads records from `tail` on, in the order of their positions; it sets them to zero before it moves
 * `tail` behind them.
 */
#define HDB_PRINT_RING_DWORDS (1u << 18)
#define HDB_PRINT_MAX_DWORDS 255 /* of one lane's values: what prints more prints nothing */

/* Behind it the values of each active lane, lowest first: bools and what has fewer than 32 bits take a dword, 64 bits
 * two, vectors their components one after the other. */
struct hdb_print_record {
   uint32_t size;         /* dwords, with this; 0: still to be written */
   uint32_t module;       /* hdb_print_module */
   uint32_t spirv_offset; /* of the OpExtInst: bytes from the start of that module */
   uint32_t lanes;        /* that print; 0: the values are still to be written */
};

#define HDB_PRINT_HEADER_DWORDS 4
#define HDB_PRINT_MAX_RECORD_DWORDS (HDB_PRINT_HEADER_DWORDS + 64 * HDB_PRINT_MAX_DWORDS)

struct hdb_print_ring {
   uint32_t listening; /* set by the host: while it is 0 nothing is printed */
   uint32_t tail;      /* likewise; the rest is the GPU's */
   uint32_t reserved;
   uint32_t head;
   uint32_t dropped; /* lines that there was no room for, modulo 2^32 */
   uint32_t unused[59];
   uint32_t records[HDB_PRINT_RING_DWORDS + HDB_PRINT_MAX_RECORD_DWORDS];
};

/* What tells modules apart: FNV-1a over 64 bits, word by word, of which these are the high half. */
static inline uint32_t
hdb_print_module(const uint32_t *words, uint32_t count)
{
   uint64_t hash = 0xcbf29ce484222325;
   for (uint32_t i = 0; i < count; i++)
      hash = (hash ^ words[i]) * 0x100000001b3;
   return (uint32_t)(hash >> 32);
}

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

   /* A struct hdb_print_ring. `map` is NULL until the first shader that prints is about to be reported, and if there is
    * no memory for it. */
   struct hdb_memory prints;
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
