/* SPDX-License-Identifier: MIT */
/*
 * Costs on the CPU, in nanoseconds: recording one dispatch (of 10 000 in a command buffer), and a vkQueueSubmit of
 * nothing, in which the layer's share is the same as in any other and easier to see. Run with and without the layer,
 * the difference is what the layer and the driver's records cost. Nothing is executed; the median of many rounds is
 * printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common.h"
#include "empty.comp.h"

#define DISPATCHES 10000
#define SUBMITS 20000
#define ROUNDS 40

static double
now_ns(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int
compare(const void *a, const void *b)
{
   double x = *(const double *)a, y = *(const double *)b;
   return (x > y) - (x < y);
}

static double
median(double *values, size_t count)
{
   qsort(values, count, sizeof(*values), compare);
   return values[count / 2];
}

static double
measure_recording(const struct sample *sample, const struct sample_kernel *kernel)
{
   VkCommandBuffer commands = sample_begin(sample);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
   double start = now_ns();
   for (uint32_t i = 0; i < sample->n; i++)
      vkCmdDispatch(commands, 1, 1, 1);
   double ns = (now_ns() - start) / sample->n;
   SAMPLE_CALL(sample, vkEndCommandBuffer, commands);
   vkFreeCommandBuffers(sample->device, sample->command_pool, 1, &commands);
   return ns;
}

static double
measure_submitting(const struct sample *sample)
{
   double start = now_ns();
   for (int i = 0; i < SUBMITS; i++)
      SAMPLE_CALL(sample, vkQueueSubmit, sample->queue, 0, NULL, VK_NULL_HANDLE);
   return (now_ns() - start) / SUBMITS;
}

int
main(int argc, char **argv)
{
   struct sample sample;
   struct sample_kernel kernel;
   sample_init(&sample, "bench-dispatch", DISPATCHES, argc, argv);
   sample_kernel_init(&kernel, &sample,
                      &(struct sample_kernel_info){
                         .name = "empty",
                         .spirv = empty_spirv,
                         .spirv_size = sizeof(empty_spirv),
                         .max_sets = 1,
                      });

   double dispatch[ROUNDS], submit[ROUNDS];
   for (int i = 0; i < ROUNDS; i++) {
      dispatch[i] = measure_recording(&sample, &kernel);
      submit[i] = measure_submitting(&sample);
   }
   printf("{\"ns_per_dispatch\": %.1f, \"ns_per_submit\": %.1f}\n", median(dispatch, ROUNDS), median(submit, ROUNDS));
   sample_kernel_finish(&kernel, &sample);
   sample_finish(&sample);
   return 0;
}
