/* SPDX-License-Identifier: MIT */
/* A dispatch whose buffers and image have names, but for one. */
#include <string.h>

#include "image.h"

#include "named.comp.h"

enum { N = 64, EDGE = 8, SKIPPED = 4 };

int
main(int argc, char **argv)
{
   struct sample sample;
   struct sample_buffer values, counts, links, pixels;
   struct sample_image weights;
   struct sample_kernel kernel;
   sample_init(&sample, "named", N, argc, argv);
   sample_buffer_init(&values, &sample, N * sizeof(uint32_t));
   sample_buffer_init(&counts, &sample, N * sizeof(uint32_t));
   sample_buffer_init(&links, &sample, (SKIPPED + N) * sizeof(uint32_t));
   sample_buffer_init(&pixels, &sample, N * sizeof(float));
   sample_image_init(&weights, &sample, EDGE);
   sample_set_name(&sample, VK_OBJECT_TYPE_BUFFER, (uint64_t)values.buffer, "blades");
   sample_set_name(&sample, VK_OBJECT_TYPE_BUFFER, (uint64_t)links.buffer, "links");
   sample_set_name(&sample, VK_OBJECT_TYPE_IMAGE, (uint64_t)weights.image, "wind");
   memset(counts.map, 0, counts.size);
   for (uint32_t i = 0; i < N; i++) {
      ((uint32_t *)links.map)[SKIPPED + i] = 3 * i;
      ((float *)pixels.map)[i] = (float)(i % 5);
   }

   const VkDescriptorType image_type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
   sample_kernel_init(&kernel, &sample,
                      &(struct sample_kernel_info){
                         .name = "named",
                         .spirv = named_spirv,
                         .spirv_size = sizeof(named_spirv),
                         .buffer_count = 2,
                         .image_count = 1,
                         .image_types = &image_type,
                         .push_constant_size = sizeof(VkDeviceAddress),
                         .max_sets = 1,
                      });
   VkDescriptorSet set = sample_kernel_set(&kernel, &sample, (const struct sample_buffer *const[]){&values, &counts});
   sample_image_bind(&weights, &sample, &kernel, set, 2);
   const VkDeviceAddress first = links.address + SKIPPED * sizeof(uint32_t);
   VkCommandBuffer commands = sample_begin(&sample);
   sample_image_upload(&weights, commands, &pixels);
   sample_dispatch(&sample, commands, &kernel, set, &first, N / 64, "named");
   sample_submit(&sample, commands);

   uint32_t right = 0;
   for (uint32_t i = 0; i < N; i++)
      right += ((uint32_t *)values.map)[i] == 3 * i + i % 5 && ((uint32_t *)counts.map)[i] == i % 5;
   sample_kernel_finish(&kernel, &sample);
   sample_image_finish(&weights, &sample);
   sample_buffer_finish(&pixels, &sample);
   sample_buffer_finish(&links, &sample);
   sample_buffer_finish(&counts, &sample);
   sample_buffer_finish(&values, &sample);
   sample_finish(&sample);
   return sample_report(&sample, right, N);
}
