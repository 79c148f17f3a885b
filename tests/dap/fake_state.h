/* SPDX-License-Identifier: MIT */
/* The inside of the machine of fake_machine.h. */
#ifndef TEST_FAKE_STATE_H
#define TEST_FAKE_STATE_H

#include <pthread.h>

#include "fake_machine.h"
#include "stop/machine.h"
#include "fake/wave.h"

#define MAX_WAVES 64
#define MAX_PLANTS 64
#define SGPRS 16
#define VGPRS 4

struct fake_wave {
   struct hdb_wave wave; /* comes first: the debugger's pointers are ours */
   bool used;
   bool known;     /* to the debugger, which hears of new ones only where it waits: it is launched on another thread */
   uint32_t waits; /* that a step takes yet, with fake_slow_steps() */
   enum hdb_resume_how how;
   uint64_t low, high;
   struct wave_contents contents;
};

struct hdb_machine {
   int event;
};

extern struct fake_state {
   pthread_mutex_t lock;
   struct hdb_machine machine;
   struct fake_wave waves[MAX_WAVES];
   struct hdb_wave *list[MAX_WAVES];
   uint32_t last_id;
   uint64_t plants[MAX_PLANTS];
   uint32_t plant_count;
   uint32_t armed;
   struct fake_watch watches[HDB_WATCHES];
   bool no_watches;
   bool entry_stops;
   uint32_t narrow_pc, fault_pc, branch_pc, branch_target;
   uint64_t narrow_exec;
   const struct hdb_shader *shader;
   const struct hdb_dispatch *dispatch;
   uint32_t slow;
} fake;

/* Runs a wave until something stops it. Called with the lock. */
void fake_run(struct fake_wave *wave, enum hdb_resume_how how, uint64_t low, uint64_t high);

#endif
