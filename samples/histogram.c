/* SPDX-License-Identifier: MIT */
/* How often each value of a byte occurs: atomics in shared memory, then in a buffer that all workgroups add to. */
#include <string.h>

#include "common.h"
#include "histogram.comp.h"

#define WORKGROUP 256
#define BINS 256

/* Some values more often than others; a multiplicative hash with the golden ratio. */
static uint8_t
make_value(uint32_t i)
{
   uint32_t hash = i * 2654435761u;
   return (uint8_t)((hash >> 24) * (hash >> 16 & 0xff) >> 8);
}

int
main(int argc, char **argv)
{
   struct sample sample;
   sample_init(&sample, "histogram", 4000, argc, argv);
   const uint32_t words = (sample.n + 3) / 4;

   struct sample_buffer values_buffer, counts_buffer;
   sample_buffer_init(&values_buffer, &sample, words * sizeof(uint32_t));
   sample_buffer_init(&counts_buffer, &sample, BINS * sizeof(uint32_t));
   uint8_t *values = values_buffer.map;
   const uint32_t *counts = counts_buffer.map;
   uint32_t expected[BINS] = {0};
   for (uint32_t i = 0; i < 4 * words; i++) {
      values[i] = make_value(i);
      expected[values[i]]++;
   }
   memset(counts_buffer.map, 0, BINS * sizeof(uint32_t));

   struct sample_kernel kernel;
   sample_kernel_init(&kernel, &sample,
                      &(struct sample_kernel_info){
                         .name = "histogram",
                         .spirv = histogram_spirv,
                         .spirv_size = sizeof(histogram_spirv),
                         .buffer_count = 2,
                         .push_constant_size = sizeof(words),
                         .max_sets = 1,
                      });
   VkDescriptorSet set =
      sample_kernel_set(&kernel, &sample, (const struct sample_buffer *const[]){&values_buffer, &counts_buffer});

   VkCommandBuffer commands = sample_begin(&sample);
   sample_dispatch(&sample, commands, &kernel, set, &words, (words + WORKGROUP - 1) / WORKGROUP, "count");
   sample_submit(&sample, commands);

   uint32_t right = 0;
   for (uint32_t i = 0; i < BINS; i++)
      right += counts[i] == expected[i];

   sample_kernel_finish(&kernel, &sample);
   sample_buffer_finish(&counts_buffer, &sample);
   sample_buffer_finish(&values_buffer, &sample);
   sample_finish(&sample);
   return sample_report(&sample, right, BINS);
}
