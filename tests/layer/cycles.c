/* SPDX-License-Identifier: MIT */
/* Instances and devices made and destroyed again and again, two at a time: the loader unloads layers in between. */
#include "affine.h"

#define ROUNDS 10

static uint32_t
run(const struct sample *sample, struct affine *affine, uint32_t round)
{
   VkCommandBuffer commands = sample_begin(sample);
   affine_record(affine, commands, &(struct affine_step){0, affine->n, 1, round}, "round");
   sample_submit(sample, commands);
   return affine_count(affine, round);
}

int
main(int argc, char **argv)
{
   uint32_t right = 0, total = 0;
   struct sample sample;
   for (uint32_t round = 1; round <= ROUNDS; round++) {
      struct sample other;
      struct affine affine, other_affine;
      sample_init(&sample, "cycles", 1000, argc, argv);
      affine_init(&affine, &sample, sample.n);
      right += run(&sample, &affine, round);

      sample_init(&other, "cycles", 1000, argc, argv);
      affine_init(&other_affine, &other, other.n);
      right += run(&other, &other_affine, round);
      affine_finish(&affine);
      sample_finish(&sample);

      right += run(&other, &other_affine, round) == 0 ? affine_count(&other_affine, 2 * round) : 0;
      total += 2 * sample.n + other.n;
      affine_finish(&other_affine);
      sample_finish(&other);
   }
   return sample_report(&sample, right, total);
}
