/* SPDX-License-Identifier: MIT */
/* Runs a compute shader of the tests on four storage buffers, and gives back what is in them afterwards. */
#ifndef TESTS_MESA_RUN_H
#define TESTS_MESA_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "driver.h"

#define RUN_BUFFERS 4
#define RUN_BUFFER_WORDS 4096

#define RUN_WORDS (RUN_BUFFERS * RUN_BUFFER_WORDS)

struct run_result {
   uint32_t words[RUN_WORDS]; /* one buffer after the other */
};

/* What is there before. */
uint32_t run_initial_word(uint32_t index);

/* On a device of its own, with the fork's link flags; all buffers begin with the same small numbers. */
void run_shader(struct driver *driver, const struct spirv *spirv, uint32_t link_flags, uint32_t wave_size,
                struct run_result *result);

#endif
