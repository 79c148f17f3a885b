/* SPDX-License-Identifier: MIT */
/*
 * What the card has done, counted with HDB_VGPU_STATS=1 and reported when the card or the process ends. Without it
 * gpu->stats is NULL, the interpreter runs a loop that does not count, and memory accesses test one pointer.
 *
 * The card's thread counts; others read with the card stopped (cp_lock).
 */
#ifndef VGPU_STATS_H
#define VGPU_STATS_H

#include <stdint.h>

struct vgpu;
struct inst;

enum stats_family {
   STATS_SALU,
   STATS_SMEM,
   STATS_VALU,
   STATS_DS,
   STATS_GLOBAL,
   STATS_FLAT,
   STATS_SCRATCH,
   STATS_BUFFER,
   STATS_IMAGE,
   STATS_BRANCH,
   STATS_MESSAGE,
   STATS_CONTROL, /* what is left of SOPP and SOPK: waits, barriers, hints, the end */
   STATS_ILLEGAL, /* unknown or without semantics */
   STATS_FAMILIES
};

/* Where an access went; those of FLAT instructions to what lies behind their addresses. */
enum stats_memory {
   STATS_SCALAR_MEMORY,
   STATS_GLOBAL_MEMORY,
   STATS_SCRATCH_MEMORY,
   STATS_BUFFER_MEMORY,
   STATS_IMAGE_MEMORY,
   STATS_LDS_MEMORY,
   STATS_MEMORIES
};

/* Bytes read and written, of all lanes that were on, out-of-bounds ones excepted; and how often a lane did an atomic
 * operation, whose bytes are in neither. What an instruction that faults did not get to
 * may be among them. */
enum stats_direction { STATS_READ, STATS_WRITTEN, STATS_ATOMICS, STATS_DIRECTIONS };

struct stats_waves {
   uint64_t instructions[STATS_FAMILIES];
   uint64_t traffic[STATS_MEMORIES][STATS_DIRECTIONS];
   uint64_t ns; /* in the interpreter; held time does not count */
};

struct stats {
   uint64_t jobs, dispatches, workgroups, waves, threads;
   struct stats_waves program, handler; /* outside and inside of the trap handler */

   /* Time with a job under way on any ring; held time does not count. */
   uint32_t busy_rings;
   uint64_t busy_since, busy_ns;
};

struct stats *stats_create(struct vgpu *gpu); /* NULL: not wanted, or no memory */

void stats_job_begun(struct vgpu *gpu);
void stats_job_ended(struct vgpu *gpu);

enum stats_family stats_family_of(const struct inst *inst);

/* Writes the block to standard error; stops the card meanwhile if it has a thread. */
void stats_report(struct vgpu *gpu);

#endif
