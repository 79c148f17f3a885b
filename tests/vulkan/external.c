/* SPDX-License-Identifier: MIT */
#include "external.h"

bool
external_open(struct gpu *gpu)
{
   const struct gpu_options options = {
      .extensions = (const char *const[]){VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                          VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME, NULL},
   };
   return gpu_open(gpu, &options);
}

static void
create_buffer(struct gpu *gpu, struct buffer *buffer, VkExternalMemoryHandleTypeFlagBits type)
{
   const VkExternalMemoryBufferCreateInfo external = {
      .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
      .handleTypes = type,
   };
   *buffer = (struct buffer){.size = EXTERNAL_SIZE};
   buffer->buffer = gpu_create_buffer(gpu, EXTERNAL_SIZE, 0, 0, &external);
}

/* Memory with `next` in its chain, of one of the types, for the buffer. */
static void
allocate(struct gpu *gpu, struct buffer *buffer, const void *next, uint32_t types)
{
   VkMemoryRequirements requirements;
   vkGetBufferMemoryRequirements(gpu->device, buffer->buffer, &requirements);
   const VkMemoryAllocateFlagsInfo flags = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
      .pNext = next,
      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
   };
   const VkMemoryAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .pNext = &flags,
      .allocationSize = requirements.size,
      .memoryTypeIndex = gpu_memory_type(gpu, requirements.memoryTypeBits & types,
                                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
   };
   CALL(vkAllocateMemory(gpu->device, &info, NULL, &buffer->memory));
   CALL(vkBindBufferMemory(gpu->device, buffer->buffer, buffer->memory, 0));
   CALL(vkMapMemory(gpu->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->map));
   buffer->address = gpu_address(gpu, buffer->buffer);
}

void
external_init(struct gpu *gpu, struct buffer *buffer, VkExternalMemoryHandleTypeFlagBits type)
{
   const VkExportMemoryAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
      .handleTypes = type,
   };
   create_buffer(gpu, buffer, type);
   allocate(gpu, buffer, &info, UINT32_MAX);
}

int
external_export(struct gpu *gpu, VkDeviceMemory memory, VkExternalMemoryHandleTypeFlagBits type)
{
   DEVICE_FUNCTION(gpu, GetMemoryFdKHR);
   const VkMemoryGetFdInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
      .memory = memory,
      .handleType = type,
   };
   int fd;
   CALL(GetMemoryFdKHR(gpu->device, &info, &fd));
   return fd;
}

void
external_import(struct gpu *gpu, struct buffer *buffer, VkExternalMemoryHandleTypeFlagBits type, int fd)
{
   VkMemoryFdPropertiesKHR properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR,
                                         .memoryTypeBits = UINT32_MAX};
   DEVICE_FUNCTION(gpu, GetMemoryFdPropertiesKHR);
   if (type != VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT)
      CALL(GetMemoryFdPropertiesKHR(gpu->device, type, fd, &properties));
   const VkImportMemoryFdInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
      .handleType = type,
      .fd = fd,
   };
   create_buffer(gpu, buffer, type);
   allocate(gpu, buffer, &info, properties.memoryTypeBits);
}

/* ---- images ---- */

void
external_image_init(struct gpu *gpu, struct external_image *image, int fd)
{
   const VkExternalMemoryHandleTypeFlagBits type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
   const VkExternalMemoryImageCreateInfo external = {
      .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
      .handleTypes = type,
   };
   const VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .pNext = &external,
      .imageType = VK_IMAGE_TYPE_2D,
      .format = VK_FORMAT_R32_UINT,
      .extent = {EXTERNAL_EDGE, EXTERNAL_EDGE, 1},
      .mipLevels = 1,
      .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .tiling = VK_IMAGE_TILING_OPTIMAL,
      .usage = VK_IMAGE_USAGE_STORAGE_BIT,
   };
   CALL(vkCreateImage(gpu->device, &info, NULL, &image->image));
   VkMemoryRequirements requirements;
   vkGetImageMemoryRequirements(gpu->device, image->image, &requirements);
   const VkMemoryDedicatedAllocateInfo dedicated = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
      .image = image->image,
   };
   const VkExportMemoryAllocateInfo exported = {
      .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
      .pNext = &dedicated,
      .handleTypes = type,
   };
   const VkImportMemoryFdInfoKHR imported = {
      .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
      .pNext = &dedicated,
      .handleType = type,
      .fd = fd,
   };
   const VkMemoryAllocateInfo allocate_info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .pNext = fd < 0 ? (const void *)&exported : &imported,
      .allocationSize = requirements.size,
      .memoryTypeIndex = gpu_memory_type(gpu, requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
   };
   CALL(vkAllocateMemory(gpu->device, &allocate_info, NULL, &image->memory));
   CALL(vkBindImageMemory(gpu->device, image->image, image->memory, 0));
   level_init(gpu, &image->level, image->image, 0, (VkExtent3D){EXTERNAL_EDGE, EXTERNAL_EDGE, 1},
              VK_IMAGE_VIEW_TYPE_2D);
   image->texels = level_create_pipeline(gpu, &image->level);
}

void
external_image_finish(struct gpu *gpu, struct external_image *image)
{
   vkDestroyPipeline(gpu->device, image->texels, NULL);
   level_finish(gpu, &image->level);
   vkDestroyImage(gpu->device, image->image, NULL);
   vkFreeMemory(gpu->device, image->memory, NULL);
}

/* The other owner is another process: to it goes the image, from it it comes. */
void
external_image_transfer(struct gpu *gpu, const struct external_image *image, bool acquire)
{
   const VkImageMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = acquire ? 0 : VK_ACCESS_SHADER_WRITE_BIT,
      .dstAccessMask = acquire ? VK_ACCESS_SHADER_READ_BIT : 0,
      .oldLayout = VK_IMAGE_LAYOUT_GENERAL,
      .newLayout = VK_IMAGE_LAYOUT_GENERAL,
      .srcQueueFamilyIndex = acquire ? VK_QUEUE_FAMILY_EXTERNAL : gpu->family,
      .dstQueueFamilyIndex = acquire ? gpu->family : VK_QUEUE_FAMILY_EXTERNAL,
      .image = image->image,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
   };
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                        NULL, 1, &barrier);
   gpu_submit(gpu, commands);
}
