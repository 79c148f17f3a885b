/* SPDX-License-Identifier: MIT */
/* The sum of an array: a tree in shared memory with barriers, one dispatch for each level until one value is left. */
#include <stdio.h>

#include "common.h"
#include "reduce.comp.h"

#define WORKGROUP 256
#define MAX_PASSES 4 /* 256^4 elements */

static uint32_t
group_count(uint32_t n)
{
   return (n + WORKGROUP - 1) / WORKGROUP;
}

int
main(int argc, char **argv)
{
   struct sample sample;
   sample_init(&sample, "reduce", 1000, argc, argv);
   const uint32_t n = sample.n;

   /* buffers[0] holds the values, buffers[k] the sums that pass k-1 leaves; one in seven is 1,
    * so that no sum, up to the largest -n, reaches 2^24, from where floats skip integers. */
   struct sample_buffer buffers[MAX_PASSES + 1];
   sample_buffer_init(&buffers[0], &sample, n * sizeof(float));
   float *values = buffers[0].map;
   for (uint32_t i = 0; i < n; i++)
      values[i] = i % 7 == 0 ? 1.0f : 0.0f;

   struct sample_kernel kernel;
   sample_kernel_init(&kernel, &sample,
                      &(struct sample_kernel_info){
                         .name = "reduce",
                         .spirv = reduce_spirv,
                         .spirv_size = sizeof(reduce_spirv),
                         .buffer_count = 2,
                         .push_constant_size = sizeof(uint32_t),
                         .max_sets = MAX_PASSES,
                      });

   VkCommandBuffer commands = sample_begin(&sample);
   uint32_t pass = 0;
   uint32_t left = n;
   do {
      uint32_t groups = group_count(left);
      sample_buffer_init(&buffers[pass + 1], &sample, groups * sizeof(float));
      VkDescriptorSet set =
         sample_kernel_set(&kernel, &sample, (const struct sample_buffer *const[]){&buffers[pass], &buffers[pass + 1]});
      char label[32];
      snprintf(label, sizeof(label), "pass %u: %u values", pass, left);
      sample_dispatch(&sample, commands, &kernel, set, &left, groups, label);
      sample_barrier(commands);
      left = groups;
      pass++;
   } while (left > 1);
   sample_submit(&sample, commands);

   /* Every partial sum of every pass is checked, not only the last. */
   uint32_t right = 0, total = 0;
   left = n;
   for (uint32_t p = 0; p < pass; p++) {
      const float *in = buffers[p].map, *out = buffers[p + 1].map;
      for (uint32_t group = 0; group < group_count(left); group++) {
         float sum = 0;
         for (uint32_t i = group * WORKGROUP; i < left && i < (group + 1) * WORKGROUP; i++)
            sum += in[i];
         right += out[group] == sum;
      }
      left = group_count(left);
      total += left;
   }

   sample_kernel_finish(&kernel, &sample);
   for (uint32_t p = 0; p <= pass; p++)
      sample_buffer_finish(&buffers[p], &sample);
   sample_finish(&sample);
   return sample_report(&sample, right, total);
}
