/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "gpu.h"

uint32_t
gpu_memory_type(const struct gpu *gpu, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
   const VkMemoryPropertyFlags unwanted = VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD; /* needs a feature of its own */
   for (uint32_t i = 0; i < gpu->memory.memoryTypeCount; i++) {
      const VkMemoryPropertyFlags has = gpu->memory.memoryTypes[i].propertyFlags;
      if (allowed >> i & 1 && (has & wanted) == wanted && !(has & unwanted))
         return i;
   }
   fprintf(stderr, "no memory of the right type\n");
   exit(1);
}

VkDeviceMemory
gpu_allocate(const struct gpu *gpu, const VkMemoryRequirements *requirements, VkMemoryPropertyFlags wanted)
{
   const VkMemoryAllocateFlagsInfo flags = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
   };
   const VkMemoryAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .pNext = &flags,
      .allocationSize = requirements->size,
      .memoryTypeIndex = gpu_memory_type(gpu, requirements->memoryTypeBits, wanted),
   };
   VkDeviceMemory memory;
   CALL(vkAllocateMemory(gpu->device, &info, NULL, &memory));
   return memory;
}

VkDeviceMemory
gpu_allocate_image(const struct gpu *gpu, VkImage image)
{
   VkMemoryRequirements requirements;
   vkGetImageMemoryRequirements(gpu->device, image, &requirements);
   const VkDeviceMemory memory = gpu_allocate(gpu, &requirements, 0);
   CALL(vkBindImageMemory(gpu->device, image, memory, 0));
   return memory;
}

/* ---- buffers ---- */

VkBuffer
gpu_create_buffer(const struct gpu *gpu, VkDeviceSize size, VkBufferUsageFlags usage, VkBufferCreateFlags flags,
                  const void *next)
{
   const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .pNext = next,
      .flags = flags,
      .size = size,
      .usage = usage | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
   };
   VkBuffer buffer;
   CALL(vkCreateBuffer(gpu->device, &info, NULL, &buffer));
   return buffer;
}

VkDeviceAddress
gpu_address(const struct gpu *gpu, VkBuffer buffer)
{
   const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer};
   return vkGetBufferDeviceAddress(gpu->device, &info);
}

void
buffer_init(const struct gpu *gpu, struct buffer *buffer, VkDeviceSize size, VkBufferUsageFlags usage)
{
   buffer->size = size;
   buffer->buffer = gpu_create_buffer(gpu, size, usage, 0, NULL);
   VkMemoryRequirements requirements;
   vkGetBufferMemoryRequirements(gpu->device, buffer->buffer, &requirements);
   buffer->memory =
      gpu_allocate(gpu, &requirements, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
   CALL(vkBindBufferMemory(gpu->device, buffer->buffer, buffer->memory, 0));
   CALL(vkMapMemory(gpu->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->map));
   memset(buffer->map, 0xcd, size);
   buffer->address = gpu_address(gpu, buffer->buffer);
}

void
buffer_finish(const struct gpu *gpu, struct buffer *buffer)
{
   vkDestroyBuffer(gpu->device, buffer->buffer, NULL);
   vkFreeMemory(gpu->device, buffer->memory, NULL);
}

void
buffer_number(struct buffer *buffer, uint32_t factor)
{
   for (uint32_t i = 0; i < buffer->size / 4; i++)
      ((uint32_t *)buffer->map)[i] = i * factor;
}
