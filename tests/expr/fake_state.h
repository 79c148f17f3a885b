/* SPDX-License-Identifier: MIT */
/* The inside of the wave of fake.h. */
#ifndef TEST_EXPR_FAKE_STATE_H
#define TEST_EXPR_FAKE_STATE_H

#include "fake.h"
#include "fake/wave.h"

#define MEMORY_SIZE 8192

extern struct fake_state {
   struct wave_contents contents;
   uint8_t memory[MEMORY_SIZE];
   struct hdb_wave wave;
   struct hdb_shader shader;
   enum hdb_language language;
   unsigned memory_reads, look_ups;
} fake;

#endif
