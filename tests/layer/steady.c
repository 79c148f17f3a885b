/* SPDX-License-Identifier: MIT */
/* A dispatch every 20 ms until standard input ends: a program to attach to while it runs. */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "affine.h"

#define INTERVAL_MS 20

int
main(int argc, char **argv)
{
   struct sample sample;
   struct affine affine;
   sample_init(&sample, "steady", 128, argc, argv);
   affine_init(&affine, &sample, sample.n);
   uint32_t rounds = 0;
   struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
   while (poll(&input, 1, INTERVAL_MS) == 0) {
      VkCommandBuffer commands = sample_begin(&sample);
      affine_record(&affine, commands, &(struct affine_step){0, affine.n, 1, 1}, "steady");
      sample_submit(&sample, commands);
      if (rounds++ == 0) {
         puts("steady: begun");
         fflush(stdout);
      }
   }
   uint32_t right = affine_count(&affine, rounds);
   affine_finish(&affine);
   sample_finish(&sample);
   return sample_report(&sample, right, sample.n);
}
