/* SPDX-License-Identifier: MIT */
/* Random sampling instructions, samplers, textures and coordinates. */
#ifndef SAMPLE_CASES_H
#define SAMPLE_CASES_H

#include "generate.h"
#include "sampler.h"

/* Where an instruction's address dwords lie, or -1; numbers of the body count from 0. */
struct sample_address {
   int offset, bias, reference, gradient, lod;
   unsigned body, numbers, dwords;
   bool zero, gathers, queries;
};

struct sample_address sample_address_of(const struct instance *instance);
unsigned sample_axes(enum image_dim dim);

/* How far a filtered value may be off: the texels here are small, and weights exact. */
double filter_error(unsigned format);

void sample_choose(struct random *random, struct instance *instance);
void sample_prepare(struct random *random, const struct instance *instance, struct machine *machine);
void sample_describe(const struct instance *instance, const struct machine *machine, unsigned lane);

#endif
