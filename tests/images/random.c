/* SPDX-License-Identifier: MIT */
#include "random.h"

static uint32_t state;

static void
step(void)
{
   state ^= state << 13;
   state ^= state >> 17;
   state ^= state << 5;
}

/* Seeds that are near to each other begin alike, so the beginning is thrown away. */
void
random_seed(uint32_t seed)
{
   state = seed;
   for (unsigned i = 0; i < 8; i++)
      step();
}

uint32_t
random_below(uint32_t n)
{
   step();
   return (uint32_t)((uint64_t)state * n >> 32);
}

float
random_between(float low, float high)
{
   return low + (high - low) * (float)random_below(1 << 20) / (1 << 20);
}
