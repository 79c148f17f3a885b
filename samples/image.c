/* SPDX-License-Identifier: MIT */
#include "image.h"

#define FORMAT VK_FORMAT_R32_SFLOAT

static const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

void
sample_image_init(struct sample_image *image, const struct sample *sample, uint32_t size)
{
   *image = (struct sample_image){.size = size};
   VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .imageType = VK_IMAGE_TYPE_2D,
      .format = FORMAT,
      .extent = {size, size, 1},
      .mipLevels = 1,
      .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .tiling = VK_IMAGE_TILING_OPTIMAL,
      .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
               VK_IMAGE_USAGE_TRANSFER_DST_BIT,
   };
   SAMPLE_CALL(sample, vkCreateImage, sample->device, &info, NULL, &image->image);
   VkMemoryRequirements requirements;
   vkGetImageMemoryRequirements(sample->device, image->image, &requirements);
   VkMemoryAllocateInfo memory_info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .allocationSize = requirements.size,
      .memoryTypeIndex = sample_memory_type(sample, requirements.memoryTypeBits, 0),
   };
   SAMPLE_CALL(sample, vkAllocateMemory, sample->device, &memory_info, NULL, &image->memory);
   SAMPLE_CALL(sample, vkBindImageMemory, sample->device, image->image, image->memory, 0);

   VkImageViewCreateInfo view_info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image->image,
      .viewType = VK_IMAGE_VIEW_TYPE_2D,
      .format = FORMAT,
      .subresourceRange = whole,
   };
   SAMPLE_CALL(sample, vkCreateImageView, sample->device, &view_info, NULL, &image->view);
   VkSamplerCreateInfo sampler_info = {
      .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
      .magFilter = VK_FILTER_NEAREST,
      .minFilter = VK_FILTER_NEAREST,
      .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
      .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
      .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
   };
   SAMPLE_CALL(sample, vkCreateSampler, sample->device, &sampler_info, NULL, &image->sampler);
}

void
sample_image_finish(struct sample_image *image, const struct sample *sample)
{
   vkDestroySampler(sample->device, image->sampler, NULL);
   vkDestroyImageView(sample->device, image->view, NULL);
   vkDestroyImage(sample->device, image->image, NULL);
   vkFreeMemory(sample->device, image->memory, NULL);
}

void
sample_image_bind(const struct sample_image *image, const struct sample *sample, const struct sample_kernel *kernel,
                  VkDescriptorSet set, uint32_t binding)
{
   VkDescriptorImageInfo info = {image->sampler, image->view, VK_IMAGE_LAYOUT_GENERAL};
   VkWriteDescriptorSet write = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set,
      .dstBinding = binding,
      .descriptorCount = 1,
      .descriptorType = kernel->types[binding],
      .pImageInfo = &info,
   };
   vkUpdateDescriptorSets(sample->device, 1, &write, 0, NULL);
}

static void
barrier(const struct sample_image *image, VkCommandBuffer commands, VkImageLayout before)
{
   VkImageMemoryBarrier info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                       VK_ACCESS_TRANSFER_WRITE_BIT,
      .oldLayout = before,
      .newLayout = VK_IMAGE_LAYOUT_GENERAL,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .image = image->image,
      .subresourceRange = whole,
   };
   const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
   vkCmdPipelineBarrier(commands, stages, stages, 0, 0, NULL, 0, NULL, 1, &info);
}

static VkBufferImageCopy
copy_of(const struct sample_image *image)
{
   return (VkBufferImageCopy){
      .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
      .imageExtent = {image->size, image->size, 1},
   };
}

void
sample_image_clear(const struct sample_image *image, VkCommandBuffer commands)
{
   VkClearColorValue black = {.float32 = {0}};
   barrier(image, commands, VK_IMAGE_LAYOUT_UNDEFINED);
   vkCmdClearColorImage(commands, image->image, VK_IMAGE_LAYOUT_GENERAL, &black, 1, &whole);
   barrier(image, commands, VK_IMAGE_LAYOUT_GENERAL);
}

void
sample_image_upload(const struct sample_image *image, VkCommandBuffer commands, const struct sample_buffer *buffer)
{
   VkBufferImageCopy copy = copy_of(image);
   barrier(image, commands, VK_IMAGE_LAYOUT_UNDEFINED);
   vkCmdCopyBufferToImage(commands, buffer->buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
   barrier(image, commands, VK_IMAGE_LAYOUT_GENERAL);
}

void
sample_image_download(const struct sample_image *image, VkCommandBuffer commands, const struct sample_buffer *buffer)
{
   VkBufferImageCopy copy = copy_of(image);
   barrier(image, commands, VK_IMAGE_LAYOUT_GENERAL);
   vkCmdCopyImageToBuffer(commands, image->image, VK_IMAGE_LAYOUT_GENERAL, buffer->buffer, 1, &copy);
   VkMemoryBarrier to_host = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL,
                        0, NULL);
}
