/* SPDX-License-Identifier: MIT */
/*
 * Checks of a trap handler's transparency: a program that is trapped must not notice, and what the host sees must be
 * what the wave has. State is compared at every return from the handler with the state at entry, slots with the state.
 */
#ifndef MACHINE_CHECKS_H
#define MACHINE_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "watch.h"

struct handler {
   const char *name;
   const uint32_t *code;
   const size_t *size;
};

enum check_program { CHECK_LOOP, CHECK_REDUCE };

/* Single-steps every instruction of every wave. */
void check_steps(const struct handler *handler, enum check_program program, uint32_t wave_size,
                 struct check_result *result);
/* Host traps at random moments, half of which stop all waves. */
void check_host_traps(const struct handler *handler, enum check_program program, uint32_t wave_size, uint32_t seed,
                      struct check_result *result);
/* A breakpoint planted while a wave is stopped, hit by every wave after it. */
void check_breakpoint(const struct handler *handler, uint32_t wave_size, struct check_result *result);

#endif
