/* SPDX-License-Identifier: MIT */
/*
 * For tests of the machine-level debugger: a virtual card driven without Vulkan. Buffers and submissions go through the
 * kernel's face, command buffers are written by hand, and struct hdb_driver is played on top of that.
 */
#ifndef MACHINE_CARD_H
#define MACHINE_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hdb/hdb_driver.h"
#include "stop/machine.h"
#include "target/target.h"
#include "vgpu.h"

struct buffer {
   uint64_t va, size;
   void *map;
   uint32_t handle;
};

struct card {
   struct hdb_driver driver; /* must be first */
   struct vgpu *gpu;
   uint32_t context;
   uint64_t next_va;
   struct hdb_target *target;
   struct hdb_machine *machine;
   char log[1024]; /* last line of the card's log */
};

/* With handler NULL the machine uses its own trap handler. Errors exit the process: a test can't go on. */
struct card *card_create(uint32_t vgpu_flags, uint32_t quantum, const uint32_t *handler, size_t handler_size);
void card_destroy(struct card *card); /* and its machine, if that is still there */

/* The process's own card (HDB_GPU=virtual), without target and machine, which are the caller's then. */
struct card *card_of_process(void);

struct buffer card_alloc(struct card *card, uint64_t size, bool executable);
void card_free(struct card *card, struct buffer *buffer);

/* A compute shader as a driver would report it. */
struct program {
   struct hdb_shader shader;
   struct buffer code;
};

struct program_options {
   const uint32_t *code;
   size_t code_size;
   uint32_t wave_size;
   uint32_t workgroup_size[3];
   uint32_t vgprs;
   uint32_t lds_size;
   uint32_t launch_sgprs; /* RSRC2: TGID_X 7, Y 8, Z 9, TG_SIZE 10 */
   uint32_t flags;        /* enum hdb_shader_flags */
};
struct program *program_create(struct card *card, const struct program_options *options);
void program_destroy(struct card *card, struct program *program);

/* A recorded dispatch, submitted any number of times. */
struct job {
   struct hdb_dispatch dispatch;
   struct buffer commands;
   uint32_t dwords;
   uint64_t sequence; /* of the last submission */
};
struct job *job_create(struct card *card, const struct program *program, const uint32_t grid[3], uint64_t argument);
void job_destroy(struct card *card, struct job *job);
void job_submit(struct card *card, struct job *job);
/* 0, -ETIME if the job is under way still, or what it failed with. */
int job_result(struct card *card, struct job *job, int timeout_ms);
bool job_is_done(struct card *card, struct job *job);
bool job_wait(struct card *card, struct job *job, int timeout_ms);

/* Waits until a wave is stopped or the job is done; true: one is stopped. */
bool card_wait_stop(struct card *card, struct job *job);
struct hdb_wave *card_first_stopped(struct card *card);

#endif
