/* SPDX-License-Identifier: MIT */
/* Buffers and images without memory behind all of them, and with the same memory behind several parts. */
#include "gpu.h"
#include "test.h"
#include "texels.h"

static VkDeviceMemory
allocate(struct gpu *gpu, const VkMemoryRequirements *requirements, VkDeviceSize size)
{
   const VkMemoryRequirements part = {.size = size, .memoryTypeBits = requirements->memoryTypeBits};
   return gpu_allocate(gpu, &part, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

/* On the queue for it; what `gpu->queue` does next waits for it by a semaphore. */
static void
bind(struct gpu *gpu, const VkBindSparseInfo *what)
{
   const VkSemaphoreCreateInfo semaphore_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
   VkSemaphore bound;
   CALL(vkCreateSemaphore(gpu->device, &semaphore_info, NULL, &bound));
   VkBindSparseInfo info = *what;
   info.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO;
   info.signalSemaphoreCount = 1;
   info.pSignalSemaphores = &bound;
   CALL(vkQueueBindSparse(gpu_queue(gpu, gpu->sparse, 0), 1, &info, VK_NULL_HANDLE));
   const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
   const VkSubmitInfo wait = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .waitSemaphoreCount = 1,
      .pWaitSemaphores = &bound,
      .pWaitDstStageMask = &stage,
   };
   CALL(vkQueueSubmit(gpu->queue, 1, &wait, VK_NULL_HANDLE));
   CALL(vkQueueWaitIdle(gpu->queue));
   vkDestroySemaphore(gpu->device, bound, NULL);
}

/* ---- buffers ---- */

enum { BLOCKS = 4 };

static void
bind_buffer(struct gpu *gpu, VkBuffer buffer, uint32_t count, const VkSparseMemoryBind *binds)
{
   const VkSparseBufferMemoryBindInfo info = {.buffer = buffer, .bindCount = count, .pBinds = binds};
   bind(gpu, &(VkBindSparseInfo){.bufferBindCount = 1, .pBufferBinds = &info});
}

static void
write_block(struct gpu *gpu, VkPipeline store, VkDeviceAddress address, VkDeviceSize block, uint32_t base)
{
   const struct {
      uint64_t to;
      uint32_t factor, base;
   } push = {address, 1, base};
   gpu_run(gpu, store, &push, sizeof(push), block / 4 / 64);
}

static void
read_all(struct gpu *gpu, VkBuffer sparse, const struct buffer *copy)
{
   const VkCommandBuffer commands = gpu_begin(gpu);
   const VkBufferCopy region = {.size = copy->size};
   vkCmdCopyBuffer(commands, sparse, copy->buffer, 1, &region);
   gpu_submit(gpu, commands);
}

/* Word i of a block is i + base, or, with base 0, every word is 0. */
static void
check_block(const struct buffer *copy, uint32_t number, VkDeviceSize block, uint32_t base)
{
   const uint32_t *words = (uint32_t *)((uint8_t *)copy->map + number * block);
   for (uint32_t i = 0; i < block / 4; i++)
      CHECK_EQUAL(words[i], base ? i + base : 0);
}

static bool
buffers(void)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   if (gpu.sparse == UINT32_MAX) {
      gpu_close(&gpu);
      return false;
   }
   const bool strict = gpu.properties.sparseProperties.residencyNonResidentStrict;
   const VkBufferCreateFlags flags =
      VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT | VK_BUFFER_CREATE_SPARSE_ALIASED_BIT;
   VkBuffer sparse = gpu_create_buffer(&gpu, 64, 0, flags, NULL);
   VkMemoryRequirements requirements;
   vkGetBufferMemoryRequirements(gpu.device, sparse, &requirements);
   const VkDeviceSize block = requirements.alignment;
   vkDestroyBuffer(gpu.device, sparse, NULL);
   sparse = gpu_create_buffer(&gpu, BLOCKS * block, 0, flags, NULL);
   const VkDeviceMemory memory = allocate(&gpu, &requirements, 2 * block);
   const VkDeviceAddress address = gpu_address(&gpu, sparse);
   struct buffer copy;
   buffer_init(&gpu, &copy, BLOCKS * block, 0);
   const VkPipeline store = gpu_create_pipeline(&gpu, gpu.layout, "store.comp", 0);

   /* Block 1 has none; 0 and 2 have the same. */
   const VkSparseMemoryBind first[] = {
      {.resourceOffset = 0, .size = block, .memory = memory},
      {.resourceOffset = 2 * block, .size = block, .memory = memory},
      {.resourceOffset = 3 * block, .size = block, .memory = memory, .memoryOffset = block},
   };
   bind_buffer(&gpu, sparse, 3, first);
   write_block(&gpu, store, address, block, 1000);
   write_block(&gpu, store, address + block, block, 2000);
   write_block(&gpu, store, address + 3 * block, block, 3000);
   read_all(&gpu, sparse, &copy);
   check_block(&copy, 0, block, 1000);
   if (strict)
      check_block(&copy, 1, block, 0);
   check_block(&copy, 2, block, 1000);
   check_block(&copy, 3, block, 3000);

   /* What was in block 3 comes in 1, 0 loses its memory. */
   const VkSparseMemoryBind second[] = {
      {.resourceOffset = 0, .size = block},
      {.resourceOffset = block, .size = block, .memory = memory, .memoryOffset = block},
   };
   bind_buffer(&gpu, sparse, 2, second);
   read_all(&gpu, sparse, &copy);
   if (strict)
      check_block(&copy, 0, block, 0);
   check_block(&copy, 1, block, 3000);
   check_block(&copy, 2, block, 1000);
   check_block(&copy, 3, block, 3000);

   vkDestroyPipeline(gpu.device, store, NULL);
   vkDestroyBuffer(gpu.device, sparse, NULL);
   vkFreeMemory(gpu.device, memory, NULL);
   buffer_finish(&gpu, &copy);
   gpu_close(&gpu);
   return true;
}

/* ---- images ---- */

enum { LEVELS = 5, BLOCKS_BOUND = 4 }; /* of the first level, two by two or two by two by two: the even half */

static uint32_t
bind_blocks(VkSparseImageMemoryBind *binds, VkExtent3D block, uint32_t depth, uint32_t tail_level,
            VkDeviceMemory memory, VkDeviceSize each)
{
   uint32_t count = 0;
   for (uint32_t i = 0; i < 4 * depth; i++) {
      const uint32_t x = i % 2, y = i / 2 % 2, z = i / 4;
      if ((x + y + z) % 2)
         continue;
      binds[count] = (VkSparseImageMemoryBind){
         .subresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0},
         .offset = {x * block.width, y * block.height, z * block.depth},
         .extent = block,
         .memory = memory,
         .memoryOffset = count * each,
      };
      count++;
   }
   for (uint32_t i = 1; i < tail_level; i++, count++) {
      const uint32_t depth_left = block.depth >> (i - 1);
      binds[count] = (VkSparseImageMemoryBind){
         .subresource = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0},
         .extent = {block.width >> (i - 1), block.height >> (i - 1), depth_left ? depth_left : 1},
         .memory = memory,
         .memoryOffset = count * each,
      };
   }
   return count;
}

/* Levels of two blocks in each direction, of one block, of less, and those of the tail. */
static void
check_image(struct gpu *gpu, VkImageType type, VkExtent3D block)
{
   const uint32_t depth = type == VK_IMAGE_TYPE_3D ? 2 : 1;
   const VkExtent3D size = {2 * block.width, 2 * block.height, depth * block.depth};
   const VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT,
      .imageType = type,
      .format = VK_FORMAT_R32_UINT,
      .extent = size,
      .mipLevels = LEVELS,
      .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .tiling = VK_IMAGE_TILING_OPTIMAL,
      .usage = VK_IMAGE_USAGE_STORAGE_BIT,
   };
   VkImage image;
   CALL(vkCreateImage(gpu->device, &info, NULL, &image));
   VkMemoryRequirements requirements;
   vkGetImageMemoryRequirements(gpu->device, image, &requirements);
   VkSparseImageMemoryRequirements sparse;
   uint32_t count = 1;
   vkGetImageSparseMemoryRequirements(gpu->device, image, &count, &sparse);
   CHECK_EQUAL(count, 1);
   CHECK_EQUAL(sparse.formatProperties.imageGranularity.width, block.width);
   const uint32_t tail_level = sparse.imageMipTailFirstLod < LEVELS ? sparse.imageMipTailFirstLod : LEVELS;
   CHECK(tail_level >= 1);
   const VkDeviceSize each = requirements.alignment, tail = (BLOCKS_BOUND + LEVELS) * each;
   const VkDeviceMemory memory = allocate(gpu, &requirements, tail + sparse.imageMipTailSize);

   VkSparseImageMemoryBind blocks[BLOCKS_BOUND + LEVELS];
   const VkSparseImageMemoryBindInfo block_binds = {
      .image = image,
      .bindCount = bind_blocks(blocks, block, depth, tail_level, memory, each),
      .pBinds = blocks,
   };
   const VkSparseMemoryBind tail_bind = {
      .resourceOffset = sparse.imageMipTailOffset,
      .size = sparse.imageMipTailSize,
      .memory = memory,
      .memoryOffset = tail,
   };
   const VkSparseImageOpaqueMemoryBindInfo tail_binds = {.image = image, .bindCount = 1, .pBinds = &tail_bind};
   bind(gpu, &(VkBindSparseInfo){.imageBindCount = 1,
                                 .pImageBinds = &block_binds,
                                 .imageOpaqueBindCount = tail_level < LEVELS,
                                 .pImageOpaqueBinds = &tail_binds});
   make_general(gpu, image);

   struct level levels[LEVELS];
   for (uint32_t i = 0; i < LEVELS; i++) {
      const uint32_t depth_left = size.depth >> i;
      const VkExtent3D left = {size.width >> i, size.height >> i, depth_left ? depth_left : 1};
      level_init(gpu, &levels[i], image, i, left, depth > 1 ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D);
   }
   const VkPipeline pipeline = level_create_pipeline(gpu, &levels[0]);
   for (uint32_t i = 0; i < LEVELS; i++)
      level_run(gpu, &levels[i], pipeline, true);
   for (uint32_t i = 0; i < LEVELS; i++) {
      level_run(gpu, &levels[i], pipeline, false);
      level_check(&levels[i], i == 0, gpu->properties.sparseProperties.residencyNonResidentStrict);
      level_finish(gpu, &levels[i]);
   }
   vkDestroyPipeline(gpu->device, pipeline, NULL);
   vkDestroyImage(gpu->device, image, NULL);
   vkFreeMemory(gpu->device, memory, NULL);
}

static bool
check_images(VkImageType type)
{
   struct gpu gpu;
   if (!gpu_open(&gpu, NULL))
      return false;
   VkPhysicalDeviceFeatures features;
   vkGetPhysicalDeviceFeatures(gpu.physical_device, &features);
   const bool has = gpu.sparse != UINT32_MAX && features.shaderResourceResidency &&
                    (type == VK_IMAGE_TYPE_3D ? features.sparseResidencyImage3D : features.sparseResidencyImage2D);
   if (has) {
      VkSparseImageFormatProperties properties;
      uint32_t count = 1;
      vkGetPhysicalDeviceSparseImageFormatProperties(gpu.physical_device, VK_FORMAT_R32_UINT, type,
                                                     VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_STORAGE_BIT,
                                                     VK_IMAGE_TILING_OPTIMAL, &count, &properties);
      CHECK_EQUAL(count, 1);
      check_image(&gpu, type, properties.imageGranularity);
   }
   gpu_close(&gpu);
   return has;
}

static bool
images_2d(void)
{
   return check_images(VK_IMAGE_TYPE_2D);
}

static bool
images_3d(void)
{
   return check_images(VK_IMAGE_TYPE_3D);
}

const struct test tests[] = {
   {.name = "sparse buffer", .run = buffers},
   {.name = "sparse 2D image", .run = images_2d},
   {.name = "sparse 3D image", .run = images_3d},
   {.name = NULL},
};
