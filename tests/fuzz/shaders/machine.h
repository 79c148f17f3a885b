/* SPDX-License-Identifier: MIT */
/* A Vulkan device that runs jobs one after the other. */
#ifndef MACHINE_H
#define MACHINE_H

#include "job.h"
#include "resources.h"

/* What a shader finds in descriptor set 0, by binding; all of them hold random words at first, as do the
 * MACHINE_PUSH_SIZE bytes of push constants, but for the second half of the atomics, which holds zeros. Then come the
 * job's resources. */
#define MACHINE_INPUT_SIZE (1u << 16)   /* 0: storage buffer to read from */
#define MACHINE_OUTPUT_SIZE (1u << 18)  /* 1: storage buffer to write to */
#define MACHINE_UNIFORM_SIZE (1u << 12) /* 2: uniform buffer */
#define MACHINE_ATOMIC_SIZE (1u << 12)  /* 3: storage buffer for atomics */
#define MACHINE_PUSH_SIZE 128
#define MACHINE_BINDINGS 4
#define MACHINE_ATOMIC_OFFSET (MACHINE_INPUT_SIZE + MACHINE_OUTPUT_SIZE + MACHINE_UNIFORM_SIZE)
#define MACHINE_RESOURCE_OFFSET (MACHINE_ATOMIC_OFFSET + MACHINE_ATOMIC_SIZE)
#define MACHINE_MEMORY_SIZE (MACHINE_RESOURCE_OFFSET + JOB_MAX_RESOURCES * RESOURCE_SIZE)

struct machine;

/* See device_open for `debug`. */
struct machine *machine_create(const char *driver, bool debug);

/* Runs the module; afterwards *memory is what the bindings hold, one after the other, until the next run. NULL or what
 * failed. */
const char *machine_run(struct machine *machine, const struct job *job, const uint32_t *words, size_t word_count,
                        const uint8_t **memory);

#endif
