/* SPDX-License-Identifier: MIT */
/* A Gaussian blur in two passes, along rows and along columns: sampled and storage images, shared memory. */
#include <stdlib.h>

#include "image.h"

#include "blur.comp.h"

#define WORKGROUP 64
#define RADIUS 2

struct constants {
   int32_t along[2], across[2];
};

/* Whole numbers below 256: with weights of 1/16, twice, all sums fit a float's 24 bits. */
static float
make_pixel(uint32_t i)
{
   return (float)(i * 2654435761u >> 24);
}

static float
clamped(const float *row, int64_t i, uint32_t size, uint32_t step)
{
   return row[(i < 0 ? 0 : i >= size ? size - 1 : i) * step];
}

static void
blur(const float *from, float *to, uint32_t size, uint32_t along, uint32_t across)
{
   const float weights[RADIUS + 1] = {0.375f, 0.25f, 0.0625f};
   for (uint32_t line = 0; line < size; line++) {
      for (uint32_t i = 0; i < size; i++) {
         const float *row = from + line * across;
         float sum = row[i * along] * weights[0];
         for (int64_t k = 1; k <= RADIUS; k++)
            sum += (clamped(row, i - k, size, along) + clamped(row, i + k, size, along)) * weights[k];
         to[line * across + i * along] = sum;
      }
   }
}

static uint32_t
count_right(const float *pixels, uint32_t size)
{
   const uint32_t n = size * size;
   float *from = calloc(n, sizeof(float)), *to = calloc(n, sizeof(float));
   uint32_t right = 0;
   if (from && to) {
      for (uint32_t i = 0; i < n; i++)
         from[i] = make_pixel(i);
      blur(from, to, size, 1, size);
      blur(to, from, size, size, 1);
      for (uint32_t i = 0; i < n; i++)
         right += pixels[i] == from[i];
   }
   free(from);
   free(to);
   return right;
}

int
main(int argc, char **argv)
{
   struct sample sample;
   sample_init_on_compute(&sample, "blur", 10000, argc, argv);
   const uint32_t size = sample_edge(&sample), n = size * size;

   struct sample_buffer buffer;
   sample_buffer_init(&buffer, &sample, n * sizeof(float));
   float *pixels = buffer.map;
   for (uint32_t i = 0; i < n; i++)
      pixels[i] = make_pixel(i);
   struct sample_image picture, between;
   sample_image_init(&picture, &sample, size);
   sample_image_init(&between, &sample, size);

   struct sample_kernel kernel;
   sample_kernel_init(&kernel, &sample,
                      &(struct sample_kernel_info){
                         .name = "blur",
                         .spirv = blur_spirv,
                         .spirv_size = sizeof(blur_spirv),
                         .image_count = 2,
                         .image_types = (const VkDescriptorType[]){VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                                   VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
                         .push_constant_size = sizeof(struct constants),
                         .max_sets = 2,
                      });
   VkDescriptorSet rows = sample_kernel_set(&kernel, &sample, NULL);
   sample_image_bind(&picture, &sample, &kernel, rows, 0);
   sample_image_bind(&between, &sample, &kernel, rows, 1);
   VkDescriptorSet columns = sample_kernel_set(&kernel, &sample, NULL);
   sample_image_bind(&between, &sample, &kernel, columns, 0);
   sample_image_bind(&picture, &sample, &kernel, columns, 1);

   const uint32_t groups = (size + WORKGROUP - 1) / WORKGROUP;
   VkCommandBuffer commands = sample_begin(&sample);
   sample_image_upload(&picture, commands, &buffer);
   sample_image_clear(&between, commands);
   sample_dispatch_2d(&sample, commands, &kernel, rows, &(struct constants){{1, 0}, {0, 1}}, groups, size, "rows");
   sample_barrier(commands);
   sample_dispatch_2d(&sample, commands, &kernel, columns, &(struct constants){{0, 1}, {1, 0}}, groups, size,
                      "columns");
   sample_image_download(&picture, commands, &buffer);
   sample_submit(&sample, commands);
   uint32_t right = count_right(pixels, size);

   sample_kernel_finish(&kernel, &sample);
   sample_image_finish(&between, &sample);
   sample_image_finish(&picture, &sample);
   sample_buffer_finish(&buffer, &sample);
   sample_finish(&sample);
   return sample_report(&sample, right, n);
}
