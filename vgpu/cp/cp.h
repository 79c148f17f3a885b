/* SPDX-License-Identifier: MIT */
/* The command processor: jobs of indirect buffers on rings, PM4 packets, the register file. */
#ifndef VGPU_CP_H
#define VGPU_CP_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu.h"

enum cp_ring { CP_RING_GFX, CP_RING_COMPUTE0, CP_RING_COMPUTE1, CP_RING_COMPUTE2, CP_RING_COMPUTE3, CP_RINGS };

#define CP_GDS_SIZE 4096 /* bytes of global data share (GC 11.0.0, gfx_v11_0_set_gds_init) */

struct cp_ib {
   uint64_t va;
   uint32_t size; /* dwords */
};

/* Jobs that run at the same time and may wait for each other, at most one on a ring. When one fails, all do. To be
 * submitted in one go, in which no other gang is. */
struct cp_gang {
   uint32_t size;    /* jobs */
   uint32_t started; /* of these */
   bool failed;
};

/* A job belongs to its submitter; the ring holds on to it from cp_submit until `done` is called. */
struct cp_job {
   enum cp_ring ring;
   struct vm *vm;
   const struct cp_ib *ibs;
   uint32_t ib_count;
   struct cp_gang *gang;        /* or NULL */
   uint32_t gds_base, gds_size; /* its part of the global data share, bytes */
   /* Both on the GPU's thread, no lock held. `faulted` (may be NULL) comes just before `done` when the job failed
    * because of a memory fault, an illegal instruction or a hang: here the kernel marks the context guilty. */
   void (*faulted)(struct cp_job *job, const struct vgpu_fault *fault);
   /* 0; -ECANCELED after a fault of this job; -ETIME after the hang limit. */
   void (*done)(struct cp_job *job, int status);
   void *user;
   void (*wave_ended)(void *user, const struct vgpu_wave_state *state); /* or NULL */
   void *wave_ended_user;
   struct cp_job *next; /* the ring's */
};

int cp_init(struct vgpu *gpu);
void cp_finish(struct vgpu *gpu); /* stops the GPU's thread; jobs left are done with -ECANCELED */

/* Jobs of one ring run in order, one at a time; rings run side by side. From any thread. A negative errno: the card's
 * thread could not be started, the job was not taken. */
int cp_submit(struct vgpu *gpu, struct cp_job *job);

/* Stops the GPU's thread between two quanta and keeps it stopped until cp_unlock; not from the GPU's thread. -EIO in a
 * forked child, where the card is inert. */
int cp_lock(struct vgpu *gpu);
void cp_unlock(struct vgpu *gpu);

/* reset.c: what amdgpu's reset of the whole card does. Jobs under way are done with -ECANCELED, as faulted; registers
 * are as after the kernel's setup; memory stays. */
int cp_reset(struct vgpu *gpu);
bool cp_is_busy(struct vgpu *gpu); /* a job is under way; under cp_lock */

/* Calls the handler of vgpu_set_interrupt_handler. */
void cp_interrupt(struct vgpu *gpu, enum vgpu_interrupt source, uint32_t data);

/* Before cp_init. */
int registers_init(struct vgpu *gpu);
void registers_finish(struct vgpu *gpu);

#endif
