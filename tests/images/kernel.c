/* SPDX-License-Identifier: MIT */
#include "kernel.h"

static const VkDescriptorType types[] = {
   VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
   VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
   VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
};

void
kernel_init_set(struct gpu *gpu, struct set *set)
{
   set_init(gpu, set, 3, types);
}

void
kernel_run(struct gpu *gpu, const struct set *set, VkPipeline pipeline, VkImageView view, VkSampler sampler,
           const struct buffer *in, const struct buffer *out, const void *push, uint32_t push_size, uint32_t workgroups)
{
   if (view)
      set_write_image(gpu, set, 0, types[0], view, sampler, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
   set_write_buffer(gpu, set, 1, types[1], in->buffer, 0, VK_WHOLE_SIZE);
   set_write_buffer(gpu, set, 2, types[2], out->buffer, 0, VK_WHOLE_SIZE);
   set_run(gpu, set, pipeline, push, push_size, workgroups);
}
