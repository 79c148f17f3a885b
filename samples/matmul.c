/* SPDX-License-Identifier: MIT */
/* The product of two square matrices of -n elements at least: tiles in shared memory. */
#include "common.h"
#include "matmul.comp.h"

#define TILE 16

/* Small whole numbers: all sums fit a float's 24 bits, in whichever order they are added. */
static float
make_a(uint32_t i)
{
   return (float)(i % 7) - 3.0f;
}

static float
make_b(uint32_t i)
{
   return (float)(i % 5) - 1.0f;
}

int
main(int argc, char **argv)
{
   struct sample sample;
   sample_init(&sample, "matmul", 1000, argc, argv);
   const uint32_t size = sample_edge(&sample), n = size * size;

   struct sample_buffer a_buffer, b_buffer, c_buffer;
   sample_buffer_init(&a_buffer, &sample, n * sizeof(float));
   sample_buffer_init(&b_buffer, &sample, n * sizeof(float));
   sample_buffer_init(&c_buffer, &sample, n * sizeof(float));
   float *a = a_buffer.map, *b = b_buffer.map;
   const float *c = c_buffer.map;
   for (uint32_t i = 0; i < n; i++) {
      a[i] = make_a(i);
      b[i] = make_b(i);
   }

   struct sample_kernel kernel;
   sample_kernel_init(&kernel, &sample,
                      &(struct sample_kernel_info){
                         .name = "matmul",
                         .spirv = matmul_spirv,
                         .spirv_size = sizeof(matmul_spirv),
                         .buffer_count = 3,
                         .push_constant_size = sizeof(size),
                         .max_sets = 1,
                      });
   VkDescriptorSet set =
      sample_kernel_set(&kernel, &sample, (const struct sample_buffer *const[]){&a_buffer, &b_buffer, &c_buffer});

   const uint32_t tiles = (size + TILE - 1) / TILE;
   VkCommandBuffer commands = sample_begin(&sample);
   sample_dispatch_2d(&sample, commands, &kernel, set, &size, tiles, tiles, "c = a * b");
   sample_submit(&sample, commands);

   uint32_t right = 0;
   for (uint32_t row = 0; row < size; row++) {
      for (uint32_t column = 0; column < size; column++) {
         float sum = 0.0f;
         for (uint32_t k = 0; k < size; k++)
            sum += make_a(row * size + k) * make_b(k * size + column);
         right += c[row * size + column] == sum;
      }
   }

   sample_kernel_finish(&kernel, &sample);
   sample_buffer_finish(&c_buffer, &sample);
   sample_buffer_finish(&b_buffer, &sample);
   sample_buffer_finish(&a_buffer, &sample);
   sample_finish(&sample);
   return sample_report(&sample, right, n);
}
