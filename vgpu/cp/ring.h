/* SPDX-License-Identifier: MIT */
/* Inside the command processor: the rings, the GPU's thread, PM4 packets. */
#ifndef VGPU_RING_H
#define VGPU_RING_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "cp/cp.h"
#include "sq/sq.h"

#define PM4_MAX_BODY 0x4000 /* dwords: the header's count has 14 bits */

/* Indirect buffers nest once: a job's (IB1), and those that it calls (IB2). */
#define RING_IB_LEVELS 2

struct ring {
   struct vgpu *gpu;
   enum cp_ring id;
   struct sq_queue *waves;

   /* Jobs waiting, under cp->doorbell_lock. */
   struct cp_job *first, *last;

   /* The job under way, and where its front end stands. */
   struct cp_job *job;
   uint32_t next_ib;                /* of the job's */
   uint32_t depth;                  /* indirect buffers entered */
   struct cp_ib ib[RING_IB_LEVELS]; /* what is left of each */
   uint32_t dispatches;             /* of the job so far */
   bool predicated, predicate;
   uint64_t base; /* SET_BASE index 1: of indirect arguments */

   /* The packet being executed; kept while it waits. */
   bool waiting;
   uint64_t packet;        /* address of the header */
   uint32_t header, count; /* dwords of the body */
   uint32_t body[PM4_MAX_BODY];
   uint32_t polls;   /* of the waiting packet */
   uint64_t poll_at; /* CLOCK_MONOTONIC, ns */

   /* Hang detection: GPU-running time in which no wave ended. */
   uint64_t stuck_ns;
   uint64_t ended_before; /* waves->ended at the last look, its gang's included */

   bool ended; /* the job is over, with `status` */
   int status;
};

struct cp {
   struct vgpu *gpu;
   pid_t pid; /* of the process that has the thread */
   uint64_t timeout_ns;

   /* The machine: rings, waves, registers. Held by the GPU's thread except between quanta; others get in through
    * cp_lock, which counts `arrived` and `left` so that the thread lets everybody in who came before. */
   pthread_mutex_t lock;
   pthread_cond_t let_in;
   _Atomic uint64_t arrived;
   uint64_t left;

   /* Submissions, wake-ups and the sleep of the GPU's thread. Taken for moments only, never with `lock` wanted next. */
   pthread_mutex_t doorbell_lock;
   pthread_cond_t doorbell;
   _Atomic bool rung;  /* something has happened since the thread last looked */
   _Atomic bool woken; /* vgpu_wake: sleeping waves are to look again */
   _Atomic bool stop;
   bool started;
   pthread_t thread;
   uint32_t holds;
   uint64_t held_since, held_ns;

   struct ring rings[CP_RINGS];
   uint8_t reported_packets[256 / 8]; /* opcodes named in the log already */
   uint8_t gds[CP_GDS_SIZE];
};

uint64_t cp_now(void); /* CLOCK_MONOTONIC, ns */

/* ring.c */
const char *ring_name(const struct ring *ring);
void ring_begin(struct ring *ring, struct cp_job *job);
bool ring_advance(struct ring *ring); /* the front end; false: it has to wait */
void ring_fault(struct ring *ring, uint64_t va, bool write, const char *what); /* of the command processor itself */
void ring_hang(struct ring *ring);
void ring_cancel(struct ring *ring, int status); /* kills the job's waves and ends it */

/* pm4.c */
enum pm4_result {
   PM4_DONE,
   PM4_WAIT,  /* to be executed again later */
   PM4_FAULT, /* the job is cancelled */
};
enum pm4_result pm4_execute(struct ring *ring, uint32_t header, const uint32_t *body, uint32_t count);

/* pm4_memory.c */
typedef enum pm4_result pm4_packet(struct ring *ring, const uint32_t *body, uint32_t count);
pm4_packet pm4_wait_reg_mem, pm4_write_data, pm4_copy_data, pm4_dma_data, pm4_atomic_mem, pm4_event_write,
   pm4_event_write_zpass, pm4_release_mem, pm4_acquire_mem;

/* dispatch.c: `dim` from the packet or from memory. */
enum pm4_result dispatch_start(struct ring *ring, const uint32_t dim[3], uint32_t initiator);

/* gds.c: NULL: the job has no such part, which was reported. */
void *gds_pointer(struct ring *ring, uint32_t offset, size_t size, const char *what);

/* memory.c: in the job's address space; false after a fault, which has been reported. */
bool ring_read(struct ring *ring, uint64_t va, void *data, size_t size, const char *what);
bool ring_write(struct ring *ring, uint64_t va, const void *data, size_t size, const char *what);
bool ring_fill(struct ring *ring, uint64_t va, uint32_t value, size_t size, const char *what);
bool ring_copy(struct ring *ring, uint64_t to, uint64_t from, size_t size, const char *what);
/* Of naturally aligned 4 or 8 bytes, for atomic access; NULL after a fault. */
void *ring_pointer(struct ring *ring, uint64_t va, size_t size, bool write, const char *what);

#endif
