/* SPDX-License-Identifier: MIT */
#ifndef TEXEL_CASES_H
#define TEXEL_CASES_H

#include "generate.h"

/* Fills a store's data registers with what its format can hold, and with floats of any kind where they are clamped. */
void texel_fill(struct random *random, const struct instance *instance, struct machine *machine);

#endif
