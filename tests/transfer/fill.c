/* SPDX-License-Identifier: MIT */
#include "fill.h"

void
fill_record(struct side *side, struct fill *fill, const struct image *image)
{
   static const char *const names[] = {
      [NUMBERS_FLOAT] = "fill-vec4", [NUMBERS_SINT] = "fill-ivec4", [NUMBERS_UINT] = "fill-uvec4"};
   static const VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
   const struct shape *shape = &image->shape;
   const VkCommandBuffer commands = side->gpu.commands;
   set_init(&side->gpu, &fill->set, 1, &type);
   fill->pipeline = gpu_create_pipeline(&side->gpu, fill->set.layout, names[image->format->numbers], 0);
   fill->view = image_view(side, image, 0, 0, shape->layers);
   set_write_image(&side->gpu, &fill->set, 0, type, fill->view, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, fill->pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, fill->set.layout, 0, 1, &fill->set.set, 0, NULL);
   vkCmdDispatch(commands, (shape->size.width + 7) / 8, (shape->size.height + 7) / 8, shape->layers);
   gpu_barrier(commands);
}

void
fill_finish(struct side *side, struct fill *fill)
{
   set_finish(&side->gpu, &fill->set);
   vkDestroyImageView(side->gpu.device, fill->view, NULL);
   vkDestroyPipeline(side->gpu.device, fill->pipeline, NULL);
}
