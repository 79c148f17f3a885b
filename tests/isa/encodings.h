/* SPDX-License-Identifier: MIT */
/* Random encodings of every opcode of every family. */
#ifndef ENCODINGS_H
#define ENCODINGS_H

#include <stdint.h>

#define ENCODING_WORDS 5

struct encoding {
   uint32_t word[ENCODING_WORDS]; /* the instruction, whatever its size, and what may follow it */
};

struct random {
   uint64_t state;
};

uint32_t random_bits(struct random *random, unsigned bits);

/* Calls `emit` for `count` encodings of each opcode. */
void encodings_each(struct random *random, unsigned count, void (*emit)(void *user, const struct encoding *encoding),
                    void *user);

#endif
