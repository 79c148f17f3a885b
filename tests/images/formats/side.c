/* SPDX-License-Identifier: MIT */
#include "side.h"

#include "../device.h"

enum { DATA_BYTES = 8 << 20, VALUES_BYTES = 32 << 20 };

const VkDescriptorType side_types[LAYOUTS] = {
   VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
   VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
   VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
   VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
};

void
side_open(struct side *side, const char *driver)
{
   struct gpu *gpu = &side->gpu;
   device_open(gpu, driver);
   buffer_init(gpu, &side->data, DATA_BYTES,
               VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
   buffer_init(gpu, &side->values, VALUES_BYTES, 0);
   for (unsigned l = 0; l < LAYOUTS; l++) {
      const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, side_types[l]};
      set_init(gpu, &side->sets[l], 2, types);
      set_write_buffer(gpu, &side->sets[l], 0, types[0], side->values.buffer, 0, VK_WHOLE_SIZE);
   }
}

void
side_close(struct side *side)
{
   for (unsigned l = 0; l < LAYOUTS; l++)
      set_finish(&side->gpu, &side->sets[l]);
   buffer_finish(&side->gpu, &side->data);
   buffer_finish(&side->gpu, &side->values);
   gpu_close(&side->gpu);
}
