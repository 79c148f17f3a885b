/* SPDX-License-Identifier: MIT */
/* Numbers that look random and are the same for the same seed. */
#ifndef TESTS_IMAGES_RANDOM_H
#define TESTS_IMAGES_RANDOM_H

#include <stdint.h>

void random_seed(uint32_t seed); /* not 0 */
uint32_t random_below(uint32_t n);
float random_between(float low, float high);

#endif
