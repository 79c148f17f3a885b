/* SPDX-License-Identifier: MIT */
/* y = a * x + y: storage buffers, push constants, a last workgroup that is only partly used. */
#include "common.h"
#include "saxpy.comp.h"

#define WORKGROUP 64

int
main(int argc, char **argv)
{
   struct sample sample;
   sample_init(&sample, "saxpy", 1000, argc, argv);
   const uint32_t n = sample.n;
   const struct {
      float a;
      uint32_t n;
   } constants = {2.0f, n};

   struct sample_buffer x_buffer, y_buffer;
   sample_buffer_init(&x_buffer, &sample, n * sizeof(float));
   sample_buffer_init(&y_buffer, &sample, n * sizeof(float));
   float *x = x_buffer.map, *y = y_buffer.map;
   for (uint32_t i = 0; i < n; i++) {
      x[i] = (float)(i % 1024);
      y[i] = 0.5f;
   }

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
   VkDescriptorSet set =
      sample_kernel_set(&kernel, &sample, (const struct sample_buffer *const[]){&x_buffer, &y_buffer});

   VkCommandBuffer commands = sample_begin(&sample);
   sample_dispatch(&sample, commands, &kernel, set, &constants, (n + WORKGROUP - 1) / WORKGROUP, "y = a * x + y");
   sample_submit(&sample, commands);

   /* Exact: the products and sums fit a float's 24 bits. */
   uint32_t right = 0;
   for (uint32_t i = 0; i < n; i++)
      right += y[i] == constants.a * (float)(i % 1024) + 0.5f;

   sample_kernel_finish(&kernel, &sample);
   sample_buffer_finish(&y_buffer, &sample);
   sample_buffer_finish(&x_buffer, &sample);
   sample_finish(&sample);
   return sample_report(&sample, right, n);
}
