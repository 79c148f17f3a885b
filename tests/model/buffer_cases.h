/* SPDX-License-Identifier: MIT */
/* Random buffer instructions, and descriptors, addresses and data for them. */
#ifndef BUFFER_CASES_H
#define BUFFER_CASES_H

#include "buffer.h"
#include "generate.h"

/* "..._format_xyz": 3; 0 for others */
unsigned component_count(const char *name);

/* What a lane of the instruction adds to the descriptor. */
struct buffer_place buffer_place(const struct instance *instance, const struct machine *machine, unsigned lane);

void buffer_choose(struct random *random, struct instance *instance);
void buffer_prepare(struct random *random, const struct instance *instance, struct machine *machine);
void buffer_describe(const struct instance *instance, const struct machine *machine, unsigned lane);

#endif
