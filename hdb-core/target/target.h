/* SPDX-License-Identifier: MIT */
/*
 * The device under the debugger: registers, memory, a trap handler's address. A struct of function pointers, one
 * implementation for the virtual GPU and one for amdgpu; nothing above this line asks which one it has.
 */
#ifndef HDB_TARGET_H
#define HDB_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hdb_target;

#define HDB_BROADCAST 0xffffffffu

/* Banks of a register access (GRBM_GFX_CNTL and GRBM_GFX_INDEX); instance = wgp << 2 | simd. */
struct hdb_bank {
   uint32_t me, pipe, queue, vmid;
   uint32_t se, sa, instance;
};

/* Results are 0 or a negative errno. Functions may be called from any one thread at a time. */
struct hdb_target_ops {
   const char *name;
   int (*read_register)(struct hdb_target *target, const struct hdb_bank *bank, uint32_t address, uint32_t *value);
   int (*write_register)(struct hdb_target *target, const struct hdb_bank *bank, uint32_t address, uint32_t value);
   int (*read_vram)(struct hdb_target *target, uint64_t address, void *data, size_t size);
   int (*write_vram)(struct hdb_target *target, uint64_t address, const void *data, size_t size);
   int (*read_memory)(struct hdb_target *target, uint32_t vmid, uint64_t va, void *data, size_t size);
   int (*write_memory)(struct hdb_target *target, uint32_t vmid, uint64_t va, const void *data, size_t size);
   int (*get_vmid)(struct hdb_target *target,
                   uint32_t *vmid); /* of the debugged device's address space, fixed from now */
   int (*wait_interrupt)(struct hdb_target *target,
                         int timeout_ms); /* 1: a wave or a fault may want attention; 0: time is up */
   int (*event_fd)(
      struct hdb_target *target);           /* readable when wait_interrupt would return at once; -1: there is none */
   void (*wake)(struct hdb_target *target); /* ends wait_interrupt, and tells waves that memory changed */
   void (*hold_time)(struct hdb_target *target, bool hold); /* fences' deadlines stand still while waves are stopped */
   void (*destroy)(struct hdb_target *target);
};

struct hdb_target {
   const struct hdb_target_ops *ops;
};

/* The virtual GPU of this process, for the device whose render node is `drm_fd`. */
int hdb_target_vgpu_create(int drm_fd, struct hdb_target **target);
bool hdb_target_vgpu_is(struct hdb_target *target, int drm_fd); /* whether that is the same card */

static inline void
hdb_target_destroy(struct hdb_target *target)
{
   if (target)
      target->ops->destroy(target);
}

#endif
