/* SPDX-License-Identifier: MIT */
/*
 * Watches waves going through the trap handler: compares all that a program can see at every return with the state at
 * entry, and on demand a slot with the state of its wave.
 */
#ifndef MACHINE_WATCH_H
#define MACHINE_WATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "stop/machine.h"

struct vgpu;
struct snapshot;

struct check_result {
   uint64_t traps;
   uint64_t entries; /* of these, the ones that are to stop when every instruction is stepped */
   uint64_t stops;
   uint64_t state_differences; /* at the return from the handler */
   uint64_t slot_differences;
   uint64_t wrong_stops; /* missing, one too many, or for a wrong reason */
   uint64_t wrong_results;
   bool unfinished;
   char first[256]; /* the first difference, for people */
};

bool check_passed(const struct check_result *result);
void check_print(FILE *file, const char *name, const struct check_result *result);

struct watch {
   struct vgpu *gpu;
   struct hdb_machine *machine;
   struct check_result *result;
   pthread_mutex_t lock;       /* result */
   struct snapshot **at_entry; /* by slot */
   struct snapshot *now;
   uint8_t *seen; /* by id: waves that have stopped before */
   uint32_t seen_size;
};

/* Clears the result. */
void watch_begin(struct watch *watch, struct vgpu *gpu, struct hdb_machine *machine, struct check_result *result);
void watch_pause(struct watch *watch);
void watch_end(struct watch *watch);

void watch_report(struct watch *watch, uint64_t *counter, const char *format, ...)
   __attribute__((format(printf, 3, 4)));
void watch_compare_slot(struct watch *watch, struct hdb_wave *wave);

/* What a test does with stopped waves when it steps everything: checks the cause, compares the slot, steps on. With
 * barriers some waves may come along with another. */
void watch_step_stopped(struct watch *watch, bool barriers);
/* All waves are stopped at a random moment, compared, and let go. */
void watch_stop_and_go(struct watch *watch);

#endif
