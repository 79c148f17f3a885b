/* SPDX-License-Identifier: MIT */
/* The card itself: what its parts (kmd, vm, cp, sq) share. */
#ifndef VGPU_GPU_H
#define VGPU_GPU_H

#include <pthread.h>
#include <stdatomic.h>

#include "vgpu.h"
#include "vm/heap.h"

struct kmd;           /* kernel driver: kmd/kmd.h */
struct sq;            /* waves: sq/sq.h */
struct cp;            /* command processor: cp/cp.h */
struct register_file; /* cp/cp.h */
struct vm;
struct layout_cache; /* of images: image/layout.h */
struct stats;        /* stats.h */
struct written;      /* vm/written.h */

#define VGPU_VMIDS 16
#define VGPU_KERNEL_VMIDS 8 /* 1..7 are for this driver's address spaces; 8..15 for compute processes of the other */
#define VGPU_PASID 0x8001   /* of the process's address space: the first that the kernel gives to graphics */
#define VGPU_GART_START 0x7fff00000000ull /* what one page of entries covers from there on is VMID 0's */
#define VGPU_GART_SIZE (2ull << 20)
#define VGPU_RENDER_BACKENDS 24
#define VGPU_GB_ADDR_CONFIG 0x545 /* Navi31's: pipes and interleave, which the layout of images depends on */

struct vgpu {
   struct vgpu_options options;
   int fd;          /* memfd; VRAM is [0, vram_size), system memory for GTT follows */
   uint8_t *memory; /* the whole memfd, mapped */
   uint64_t vram_size, gtt_size;
   uint64_t device, inode; /* of the memfd */
   unsigned process;       /* which of a line of forked processes made it */
   struct vgpu *next;      /* in the list of the process's cards */

   struct heap vram, gtt; /* what is free of both */

   struct kmd *kmd;
   struct register_file *registers;
   struct cp *cp;
   struct sq *sq;
   struct layout_cache *layouts;
   struct stats *stats; /* NULL: not wanted */
   struct written *written;

   uint64_t first_level_tba, first_level_tma; /* the kernel's own trap handler; 0: none */
   uint64_t gart_table;                       /* page table of VMID 0, a VRAM offset; 0: none yet */
   struct vm *vmid[VGPU_VMIDS];               /* address space of each hardware id */
   _Atomic uint64_t vm_generation;            /* goes up whenever a mapping changes */
   _Atomic uint32_t watched_vmids;            /* those with an address watch (TCP_WATCH), a bit each */
   pthread_mutex_t watch_lock;                /* while an instruction that one sees is run */
   uint64_t watch_order;                      /* how many of these there have been */

   void (*interrupt)(void *user, enum vgpu_interrupt source, uint32_t data);
   void *interrupt_user;
   pthread_mutex_t interrupt_lock;
};

/* A forked child inherits the card's memory but not its threads: there the card does nothing and fails with -EIO.
 * The child may create a card of its own. */
bool vgpu_is_inert(const struct vgpu *gpu);

/* A thread that takes none of the process's signals. 0, or a negative errno. */
int vgpu_thread_start(pthread_t *thread, const char *name, void *(*run)(void *user), void *user);

/* Gives the pages of [offset, offset + size) of the memfd back to the system; they read as zero from then on. */
void vgpu_release_memory(struct vgpu *gpu, uint64_t offset, uint64_t size);

/* The card's clock: 100 MHz, counting from the host's boot (CLOCK_MONOTONIC). */
uint64_t vgpu_timestamp(void);
/* As waves read it: in lockstep it counts instructions, so that what they make of it comes out again. */
uint64_t vgpu_wave_timestamp(const struct vgpu *gpu);

/* Nanoseconds for which vgpu_hold_time has held time so far, a hold under way included. A wait that began at h0 runs
 * into its deadline at deadline + (vgpu_held_ns() - h0). */
uint64_t vgpu_held_ns(struct vgpu *gpu);

/* A clock that stands still while time is held. */
uint64_t vgpu_running_ns(struct vgpu *gpu);

bool vgpu_time_held(struct vgpu *gpu);

/* A line to the card's log, and the same once per `once` flag. */
void vgpu_log(struct vgpu *gpu, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
