/* SPDX-License-Identifier: MIT */
/* The Mandelbrot set, in iterations: a loop that every invocation leaves at another time. */
#include "common.h"
#include "mandelbrot.comp.h"

#define WORKGROUP 8 /* of each edge */
#define LIMIT 200

/* What the shader does, rounding for rounding: every operation there is `precise`, and x86-64 has no others. */
static uint32_t
escape(float cx, float cy)
{
   float x = 0.0f, y = 0.0f;
   uint32_t i;
   for (i = 0; i < LIMIT; i++) {
      float square_x = x * x, square_y = y * y;
      if (square_x + square_y > 4.0f)
         break;
      float product = x * y;
      x = square_x - square_y + cx;
      y = product + product + cy;
   }
   return i;
}

int
main(int argc, char **argv)
{
   struct sample sample;
   sample_init(&sample, "mandelbrot", 4096, argc, argv);
   const uint32_t size = sample_edge(&sample), n = size * size;
   const struct {
      uint32_t size, limit;
      float step;
   } constants = {size, LIMIT, 3.0f / (float)size};

   struct sample_buffer buffer;
   sample_buffer_init(&buffer, &sample, n * sizeof(uint32_t));
   const uint32_t *iterations = buffer.map;

   struct sample_kernel kernel;
   sample_kernel_init(&kernel, &sample,
                      &(struct sample_kernel_info){
                         .name = "mandelbrot",
                         .spirv = mandelbrot_spirv,
                         .spirv_size = sizeof(mandelbrot_spirv),
                         .buffer_count = 1,
                         .push_constant_size = sizeof(constants),
                         .max_sets = 1,
                      });
   VkDescriptorSet set = sample_kernel_set(&kernel, &sample, (const struct sample_buffer *const[]){&buffer});

   const uint32_t groups = (size + WORKGROUP - 1) / WORKGROUP;
   VkCommandBuffer commands = sample_begin(&sample);
   sample_dispatch_2d(&sample, commands, &kernel, set, &constants, groups, groups, "escape");
   sample_submit(&sample, commands);

   uint32_t right = 0;
   for (uint32_t i = 0; i < n; i++) {
      float x = ((float)(i % size) + 0.5f) * constants.step - 2.0f;
      float y = ((float)(i / size) + 0.5f) * constants.step - 1.5f;
      right += iterations[i] == escape(x, y);
   }

   sample_kernel_finish(&kernel, &sample);
   sample_buffer_finish(&buffer, &sample);
   sample_finish(&sample);
   return sample_report(&sample, right, n);
}
