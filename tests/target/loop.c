/* SPDX-License-Identifier: MIT */
/*
 * One dispatch after another of one pipeline: what a debugger has left behind on the card would keep the later ones
 * from running. Says after each whether the result is right.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "saxpy.comp.h"

enum { ELEMENTS = 256, WORKGROUP = 64, ROUNDS = 4, PAUSE_US = 100000 };

int
main(int argc, char **argv)
{
   struct sample sample;
   sample_init(&sample, "loop", ELEMENTS, argc, argv);
   const struct {
      float a;
      uint32_t n;
   } constants = {2.0f, ELEMENTS};
   struct sample_buffer x, y;
   sample_buffer_init(&x, &sample, ELEMENTS * sizeof(float));
   sample_buffer_init(&y, &sample, ELEMENTS * sizeof(float));
   float *in = x.map, *sum = y.map;
   memset(sum, 0, ELEMENTS * sizeof(float));
   for (uint32_t i = 0; i < ELEMENTS; i++)
      in[i] = (float)i;
   struct sample_kernel kernel;
   sample_kernel_init(&kernel, &sample,
                      &(struct sample_kernel_info){
                         .name = "saxpy",
                         .spirv = saxpy_spirv,
                         .spirv_size = sizeof(saxpy_spirv),
                         .buffer_count = 2,
                         .push_constant_size = sizeof(constants),
                         .max_sets = 1,
                      });
   VkDescriptorSet set = sample_kernel_set(&kernel, &sample, (const struct sample_buffer *const[]){&x, &y});
   int wrong = 0;
   for (int round = 1; round <= ROUNDS; round++) {
      VkCommandBuffer commands = sample_begin(&sample);
      sample_dispatch(&sample, commands, &kernel, set, &constants, ELEMENTS / WORKGROUP, "round");
      sample_submit(&sample, commands);
      int before = wrong;
      for (uint32_t i = 0; i < ELEMENTS; i++)
         wrong += sum[i] != 2.0f * (float)i * (float)round;
      printf("loop: round %d is %s\n", round, wrong == before ? "right" : "wrong");
      fflush(stdout);
      usleep(PAUSE_US);
   }
   sample_kernel_finish(&kernel, &sample);
   sample_buffer_finish(&y, &sample);
   sample_buffer_finish(&x, &sample);
   sample_finish(&sample);
   return wrong != 0;
}
