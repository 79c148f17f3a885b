/* SPDX-License-Identifier: MIT */
#include "texels.h"

static const VkDescriptorType storage_image = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;

void
level_init(struct gpu *gpu, struct level *level, VkImage image, uint32_t number, VkExtent3D size, VkImageViewType type)
{
   level->size = size;
   level->type = type;
   const VkImageViewCreateInfo view = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image,
      .viewType = type,
      .format = VK_FORMAT_R32_UINT,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, number, 1, 0, 1},
   };
   CALL(vkCreateImageView(gpu->device, &view, NULL, &level->view));
   set_init(gpu, &level->set, 1, &storage_image);
   set_write_image(gpu, &level->set, 0, storage_image, level->view, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL);
   buffer_init(gpu, &level->texels, (VkDeviceSize)size.width * size.height * size.depth * 8, 0);
}

void
level_finish(struct gpu *gpu, struct level *level)
{
   buffer_finish(gpu, &level->texels);
   set_finish(gpu, &level->set);
   vkDestroyImageView(gpu->device, level->view, NULL);
}

void
level_run(struct gpu *gpu, const struct level *level, VkPipeline pipeline, bool write)
{
   const struct {
      uint64_t texels;
      uint32_t write;
   } push = {level->texels.address, write};
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, level->set.layout, 0, 1, &level->set.set, 0, NULL);
   vkCmdPushConstants(commands, level->set.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
   vkCmdDispatch(commands, (level->size.width + 63) / 64, level->size.height, level->size.depth);
   gpu_submit(gpu, commands);
}

VkPipeline
level_create_pipeline(struct gpu *gpu, const struct level *level)
{
   const char *shader = level->type == VK_IMAGE_VIEW_TYPE_3D ? "texels3.comp" : "texels2.comp";
   return gpu_create_pipeline(gpu, level->set.layout, shader, 0);
}

void
level_check(const struct level *level, bool hole, bool strict)
{
   const uint32_t(*texel)[2] = level->texels.map;
   const VkExtent3D size = level->size;
   for (uint32_t i = 0; i < size.width * size.height * size.depth; i++) {
      const uint32_t x = i % size.width, y = i / size.width % size.height, z = i / size.width / size.height;
      const uint32_t before = 2 * x / size.width + 2 * y / size.height + (size.depth > 1 ? 2 * z / size.depth : 0);
      const bool resident = !hole || before % 2 == 0;
      if (resident || strict)
         CHECK_EQUAL(texel[i][0], resident ? i + 1 : 0);
      CHECK_EQUAL(texel[i][1], resident);
   }
}

void
make_general(struct gpu *gpu, VkImage image)
{
   const VkCommandBuffer commands = gpu_begin(gpu);
   gpu_transition(commands, image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
   gpu_submit(gpu, commands);
}
