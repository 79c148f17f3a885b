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
#define HDB_VMIDS 16

/* Banks of a register access (GRBM_GFX_CNTL and GRBM_GFX_INDEX); instance = wgp << 2 | simd. */
struct hdb_bank {
   uint32_t me, pipe, queue, vmid;
   uint32_t se, sa, instance;
};

/* What an address watch has last seen a wave do: see read_watched below. */
struct hdb_watched {
   uint64_t lanes;  /* that are concerned; 0: not known */
   uint32_t stride; /* from one dword of a lane to its next */
   bool values;     /* `before` and `after` are known: what they found and left there */
   uint64_t order;  /* among all waves' */
   uint64_t va[64];
   uint8_t bytes[64]; /* that the lane has accessed */
   uint8_t before[64][16], after[64][16];
};

/* What the GPU itself may do with a page. */
enum hdb_access { HDB_ACCESS_READ = 1 << 0, HDB_ACCESS_WRITE = 1 << 1, HDB_ACCESS_EXECUTE = 1 << 2 };

/* A run of pages that are mapped alike. */
struct hdb_mapping {
   uint64_t va, size; /* canonical */
   uint32_t access;   /* a set of enum hdb_access */
   uint32_t mtype;    /* as in the page table entry */
   bool backed;       /* by memory; otherwise partially resident: reads give 0, writes are dropped */
};

/* Results are 0 or a negative errno. Functions may be called from any one thread at a time. */
struct hdb_target_ops {
   const char *name;
   /* Why the last operation that failed did, in one line; NULL: its errno says all. */
   const char *(*problem)(const struct hdb_target *target);
   int (*read_register)(struct hdb_target *target, const struct hdb_bank *bank, uint32_t reg, uint32_t *value);
   int (*write_register)(struct hdb_target *target, const struct hdb_bank *bank, uint32_t reg, uint32_t value);
   int (*read_vram)(struct hdb_target *target, uint64_t address, void *data, size_t size);
   int (*write_vram)(struct hdb_target *target, uint64_t address, const void *data, size_t size);
   int (*read_memory)(struct hdb_target *target, uint32_t vmid, uint64_t va, void *data, size_t size);
   int (*write_memory)(struct hdb_target *target, uint32_t vmid, uint64_t va, const void *data, size_t size);
   /* A set of enum hdb_access for the 4 KiB page of `va`; -EFAULT: not mapped; -ENOTCONN: nothing tells. It may be
    * known where get_vmid fails: then of what the process itself has mapped, whatever the VMID. */
   int (*get_access)(struct hdb_target *target, uint32_t vmid, uint64_t va, uint32_t *access);
   /* The first mapping at or behind `va` (within it: what is left of it). -ENOENT: there is none; NULL: can't be told.
    */
   int (*next_mapping)(struct hdb_target *target, uint32_t vmid, uint64_t va, struct hdb_mapping *mapping);
   /* Notes from now on what is written (`on` false: no more); between the last two calls is what may_have_changed tells
    * of. NULL, both: anything may change at any time. */
   int (*collect_writes)(struct hdb_target *target, bool on);
   bool (*may_have_changed)(struct hdb_target *target, uint32_t vmid, uint64_t va, uint64_t size);
   /* Of the debugged device's address space, fixed from now on. */
   int (*get_vmid)(struct hdb_target *target, uint32_t *vmid);
   /* A wave of the address space was seen with another one. 0: that is the VMID from now on; or it can't be. */
   int (*note_vmid)(struct hdb_target *target, uint32_t vmid);
   /* Waves of the address space that have a trap handler enter this one, with the block at `tma`; until removed. */
   int (*install_trap)(struct hdb_target *target, uint32_t vmid, uint64_t tba, uint64_t tma);
   void (*remove_trap)(struct hdb_target *target, uint32_t vmid);
   /* The same by the kernel, where it lets processes do that: no register is needed. -ENOTSUP: it does not. */
   int (*set_second_level)(struct hdb_target *target, uint64_t tba, uint64_t tba_size, uint64_t tma, uint64_t tma_size);
   int (*clear_second_level)(struct hdb_target *target); /* -ENOTSUP: it stays, and so must its memory */
   /* 1: a wave or a fault may want attention; 0: time is up. */
   int (*wait_interrupt)(struct hdb_target *target, int timeout_ms);
   int (*event_fd)(struct hdb_target *target); /* readable when wait_interrupt would return at once; -1: none is */
   void (*wake)(struct hdb_target *target);    /* ends wait_interrupt, and tells waves that memory changed */
   /* Whether launches may be held back during a stop (STALL_VMID): only where no death and no failure of anybody could
    * leave the bit set, for the program would hang. */
   bool holds_launches;
   bool coherent;        /* read_memory finds what waves have written: no cache of the card is in between */
   bool precise_watches; /* a wave that an address watch stops stands right behind the instruction */
   /* What the address watches have last seen a wave do. NULL: the card can't tell. */
   int (*read_watched)(struct hdb_target *target, const struct hdb_bank *bank, uint32_t wave,
                       struct hdb_watched *watched);
   void (*hold_time)(struct hdb_target *target, bool hold); /* fences' deadlines stand still while waves are stopped */
   /* Of a card that holds all waves when one reports (VGPU_LOCKSTEP): whether all that still run wait for the debugger,
    * so that reports can be taken in; and that the others may run on. NULL: there is no such thing. */
   bool (*is_settled)(struct hdb_target *target);
   void (*release)(struct hdb_target *target);
   /* Whether it does so from now on: then dispatches run as they will when a capture of them is replayed. */
   void (*set_lockstep)(struct hdb_target *target, bool on);
   void (*destroy)(struct hdb_target *target);
};

struct hdb_target {
   const struct hdb_target_ops *ops;
};

/* The virtual GPU of this process, for the device whose render node is `drm_fd`. */
int hdb_target_vgpu_create(int drm_fd, struct hdb_target **target);
bool hdb_target_vgpu_is(struct hdb_target *target, int drm_fd); /* whether that is the same card */

struct hdb_driver;

/* Of amdgpu's debugfs, through hdb-helper: the debugged process opens no file of it itself. */
struct hdb_amdgpu_options {
   const char *helper;        /* its socket; NULL: there is none */
   bool helper_is_to_come;    /* with `hdb attach`; otherwise somebody has named it */
   const char *sysfs;         /* NULL: /sys */
   const char *second_level;  /* see second_level.h; NULL: the kernel has no such thing */
   bool accept_short_timeout; /* attach although the kernel resets the GPU soon after a stop */
};

/* Nothing is opened before it is needed. A card that can't be debugged has a target, too: its problem says why. */
int hdb_target_amdgpu_create(struct hdb_driver *driver, const struct hdb_amdgpu_options *options,
                             struct hdb_target **target);
bool hdb_target_amdgpu_is(struct hdb_target *target, int drm_fd);
/* From now on it takes memory from another device of the same address space. */
void hdb_target_amdgpu_set_driver(struct hdb_target *target, struct hdb_driver *driver);

/* What the targets share: the trap base and memory registers of a VMID. They hold bits 47:8 of the addresses. */
int hdb_target_point_trap(struct hdb_target *target, uint32_t vmid, uint64_t tba, uint64_t tma);
void hdb_target_unpoint_trap(struct hdb_target *target, uint32_t vmid);

/* Address watch. `size` is a power of two, of at least 128 bytes, and the range aligned to it. */
#define HDB_WATCHES 4
enum hdb_watch_mode { HDB_WATCH_READ, HDB_WATCH_NONREAD, HDB_WATCH_ATOMIC, HDB_WATCH_ALL }; /* soc21_enum.h */
int hdb_target_set_watch(struct hdb_target *target, uint32_t vmid, uint32_t watch, uint64_t va, uint64_t size,
                         enum hdb_watch_mode mode);
int hdb_target_clear_watch(struct hdb_target *target, uint32_t vmid, uint32_t watch);

static inline void
hdb_target_destroy(struct hdb_target *target)
{
   if (target)
      target->ops->destroy(target);
}

#endif
