/* SPDX-License-Identifier: MIT */
/* 10 000 dispatches in one command buffer, each with its own part of the buffer, labelled by hundreds. */
#include <stdio.h>

#include "affine.h"

#define DISPATCHES 10000

int
main(int argc, char **argv)
{
   struct sample sample;
   struct affine affine;
   sample_init(&sample, "many", DISPATCHES, argc, argv);
   const uint32_t dispatches = sample.n;
   affine_init(&affine, &sample, dispatches * AFFINE_WORKGROUP);

   VkCommandBuffer commands = sample_begin(&sample);
   for (uint32_t i = 0; i < dispatches; i++) {
      char label[32];
      snprintf(label, sizeof(label), "hundred %u", i / 100);
      affine_record(&affine, commands, &(struct affine_step){i * AFFINE_WORKGROUP, AFFINE_WORKGROUP, 1, i + 1}, label);
   }
   sample_submit(&sample, commands);

   const uint32_t *values = affine.buffer.map;
   uint32_t right = 0;
   for (uint32_t i = 0; i < affine.n; i++)
      right += values[i] == i / AFFINE_WORKGROUP + 1;
   affine_finish(&affine);
   sample_finish(&sample);
   return sample_report(&sample, right, dispatches * AFFINE_WORKGROUP);
}
