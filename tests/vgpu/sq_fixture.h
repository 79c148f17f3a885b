/* SPDX-License-Identifier: MIT */
/* A machine of its own for each test of a file. */
#ifndef SQ_FIXTURE_H
#define SQ_FIXTURE_H

#include "sq_machine.h"

extern struct machine machine;

int setup(void **state);
int teardown(void **state);

#endif
