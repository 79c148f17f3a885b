/* SPDX-License-Identifier: MIT */
/* Random instructions and random machines for them. */
#ifndef GENERATE_H
#define GENERATE_H

#include "model.h"

struct random {
   uint64_t state;
};

uint32_t random_32(struct random *random);
uint64_t random_64(struct random *random);
unsigned random_below(struct random *random, unsigned limit);
bool random_chance(struct random *random, unsigned percent);

/* Edge values, values near each other, and anything. */
uint64_t random_value(struct random *random, enum type type);

bool op_has_form(const struct op *op, enum form form);
void instance_randomize(struct random *random, const struct op *op, enum form form, bool wave64,
                        struct instance *instance);
void machine_randomize(struct random *random, const struct instance *instance, struct machine *machine);

#endif
