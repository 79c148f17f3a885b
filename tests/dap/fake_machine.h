/* SPDX-License-Identifier: MIT */
/*
 * A machine for tests of what stands above it. Its code is a straight line: every four bytes are one instruction, a
 * shader ends at its last one, and a resumed wave has arrived before hdb_machine_resume returns. It replaces the whole
 * of stop/ and target/ at link time.
 */
#ifndef TEST_FAKE_MACHINE_H
#define TEST_FAKE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "hdb/hdb_driver.h"

struct hdb_driver *fake_driver(void);

/* Starts `waves` waves of a dispatch that has been submitted, as the GPU does; from any thread. True: they stopped. */
bool fake_launch(const struct hdb_shader *shader, const struct hdb_dispatch *dispatch, uint32_t waves);

void fake_launch_more(uint32_t waves); /* of the last dispatch, while others are stopped */
void fake_slow_steps(uint32_t waits);  /* a stepped wave arrives only at that call of hdb_machine_wait; 0: at once */

/* Waves of odd workgroups jump. */
void fake_branch(uint32_t pc, uint32_t target);

/* A wave whose lanes are only these from an instruction on; a fault at an instruction. 0: none. */
void fake_narrow(uint32_t pc, uint64_t exec);
void fake_fault(uint32_t pc);

/* What a watch register is set to; `size` 0: nothing. */
struct fake_watch {
   uint64_t va, size;
   uint32_t mode; /* enum hdb_watch_mode */
};
struct fake_watch fake_watch_at(uint32_t watch);
void fake_refuse_watches(bool refuse);

uint32_t fake_running(void); /* waves that are neither stopped nor ended */
uint32_t fake_plants(void);
uint32_t fake_armed(void); /* arms that have not been taken back */
void fake_reset(void);

#endif
