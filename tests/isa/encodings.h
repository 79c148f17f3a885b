/* SPDX-License-Identifier: MIT */
/* Random encodings of every opcode of every family. */
#ifndef ENCODINGS_H
#define ENCODINGS_H

#include <stdbool.h>
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

/* The same for up to `valid` encodings of each opcode that `is_valid` and `invalid` that it does not. */
void encodings_each_sorted(struct random *random, unsigned valid, unsigned invalid,
                           bool (*is_valid)(void *user, const struct encoding *encoding),
                           void (*emit)(void *user, const struct encoding *encoding), void *user);

#endif
