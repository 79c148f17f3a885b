/* SPDX-License-Identifier: MIT */
/*
 * Forces of springs, some of which come out as NaN: a bug in nan.comp, to be found with hdb (README.md shows how).
 * The check knows the bug: springs that have a length must be right; springs without a length may be NaN (the bug) or
 * zero (the bug corrected).
 */
#include <math.h>
#include <stdio.h>

#include "common.h"
#include "nan.comp.h"

#define WORKGROUP 64

struct spring {
   float ax, ay, bx, by;
};

struct force {
   float x, y;
};

static struct spring
make_spring(uint32_t i)
{
   float x = (float)(i % 31), y = (float)(i % 17);
   if (i % 125 == 77) /* both ends at one point */
      return (struct spring){x, y, x, y};
   return (struct spring){x, y, x + 3.0f * (float)(1 + i % 3), y - 4.0f};
}

static bool
near(float value, float expected)
{
   return fabsf(value - expected) <= 1e-5f * (1.0f + fabsf(expected));
}

int
main(int argc, char **argv)
{
   struct sample sample;
   sample_init(&sample, "nan", 1000, argc, argv);
   const uint32_t n = sample.n;
   const struct {
      uint32_t n;
      float rest, stiffness;
   } constants = {n, 2.0f, 0.5f};

   struct sample_buffer ends_buffer, forces_buffer;
   sample_buffer_init(&ends_buffer, &sample, n * sizeof(struct spring));
   sample_buffer_init(&forces_buffer, &sample, n * sizeof(struct force));
   struct spring *springs = ends_buffer.map;
   const struct force *forces = forces_buffer.map;
   for (uint32_t i = 0; i < n; i++)
      springs[i] = make_spring(i);

   struct sample_kernel kernel;
   sample_kernel_init(&kernel, &sample,
                      &(struct sample_kernel_info){
                         .name = "spring forces",
                         .spirv = nan_spirv,
                         .spirv_size = sizeof(nan_spirv),
                         .buffer_count = 2,
                         .push_constant_size = sizeof(constants),
                         .max_sets = 1,
                      });
   VkDescriptorSet set =
      sample_kernel_set(&kernel, &sample, (const struct sample_buffer *const[]){&ends_buffer, &forces_buffer});

   VkCommandBuffer commands = sample_begin(&sample);
   sample_dispatch(&sample, commands, &kernel, set, &constants, (n + WORKGROUP - 1) / WORKGROUP, "forces");
   sample_submit(&sample, commands);

   uint32_t right = 0, not_a_number = 0;
   for (uint32_t i = 0; i < n; i++) {
      struct spring s = make_spring(i);
      float dx = s.bx - s.ax, dy = s.by - s.ay;
      float length = sqrtf(dx * dx + dy * dy);
      float strength = constants.stiffness * (length - constants.rest);
      if (length > 0)
         right += near(forces[i].x, dx / length * strength) && near(forces[i].y, dy / length * strength);
      else if (isnan(forces[i].x) && isnan(forces[i].y))
         not_a_number++;
      else
         right += forces[i].x == 0 && forces[i].y == 0;
   }

   sample_kernel_finish(&kernel, &sample);
   sample_buffer_finish(&forces_buffer, &sample);
   sample_buffer_finish(&ends_buffer, &sample);
   sample_finish(&sample);
   printf("nan: %u of %u right, %u not a number%s\n", right, n, not_a_number, not_a_number ? " (the bug to find)" : "");
   return right + not_a_number == n ? 0 : 1;
}
