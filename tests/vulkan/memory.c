/* SPDX-License-Identifier: MIT */
/* Memory from elsewhere: the host's, another allocation's, another process's; and how much there is. */
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "external.h"
#include "test.h"

struct store_push {
   uint64_t to;
   uint32_t factor, base;
};

static void
store(struct gpu *gpu, VkDeviceAddress to, VkDeviceSize size, uint32_t factor, uint32_t base)
{
   const VkPipeline pipeline = gpu_create_pipeline(gpu, gpu->layout, "store.comp", 0);
   const struct store_push push = {to, factor, base};
   gpu_run(gpu, pipeline, &push, sizeof(push), size / 4 / 64);
   vkDestroyPipeline(gpu->device, pipeline, NULL);
}

/* ---- VK_EXT_external_memory_host ---- */

static VkResult
import_host(const struct gpu *gpu, VkBuffer buffer, uint32_t allowed, void *address, VkDeviceSize size,
            VkDeviceMemory *memory)
{
   VkMemoryRequirements requirements;
   vkGetBufferMemoryRequirements(gpu->device, buffer, &requirements);
   const VkImportMemoryHostPointerInfoEXT import = {
      .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
      .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
      .pHostPointer = address,
   };
   const VkMemoryAllocateFlagsInfo flags = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
      .pNext = &import,
      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
   };
   const VkMemoryAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .pNext = &flags,
      .allocationSize = size,
      .memoryTypeIndex = gpu_memory_type(gpu, requirements.memoryTypeBits & allowed, 0),
   };
   return vkAllocateMemory(gpu->device, &info, NULL, memory);
}

static bool
host_pointer(void)
{
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, NULL))
      return false;
   enum { SIZE = 1 << 18 };
   VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
   vkGetPhysicalDeviceProperties2(gpu.physical_device, &properties);
   CHECK(SIZE % host.minImportedHostPointerAlignment == 0);
   uint32_t *words = aligned_alloc(host.minImportedHostPointerAlignment, SIZE);
   CHECK(words);
   memset(words, 0, SIZE);

   DEVICE_FUNCTION(&gpu, GetMemoryHostPointerPropertiesEXT);
   const VkExternalMemoryHandleTypeFlagBits type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
   VkMemoryHostPointerPropertiesEXT pointer = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
   CALL(GetMemoryHostPointerPropertiesEXT(gpu.device, type, words, &pointer));
   const VkExternalMemoryBufferCreateInfo external = {
      .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
      .handleTypes = type,
   };
   const VkBuffer buffer = gpu_create_buffer(&gpu, SIZE, 0, 0, &external);
   VkDeviceMemory memory;
   CALL(import_host(&gpu, buffer, pointer.memoryTypeBits, words, SIZE, &memory));
   CALL(vkBindBufferMemory(gpu.device, buffer, memory, 0));

   store(&gpu, gpu_address(&gpu, buffer), SIZE, 9, 4);
   for (uint32_t i = 0; i < SIZE / 4; i++)
      CHECK_EQUAL(words[i], 9 * i + 4);
   /* And the other way. */
   struct buffer copy;
   buffer_init(&gpu, &copy, SIZE, 0);
   for (uint32_t i = 0; i < SIZE / 4; i++)
      words[i] = ~i;
   const VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdCopyBuffer(commands, buffer, copy.buffer, 1, &(VkBufferCopy){.size = SIZE});
   gpu_submit(&gpu, commands);
   CHECK(!memcmp(copy.map, words, SIZE));

   buffer_finish(&gpu, &copy);
   vkDestroyBuffer(gpu.device, buffer, NULL);
   vkFreeMemory(gpu.device, memory, NULL);
   free(words);
   gpu_close(&gpu);
   return true;
}

/* As on a card: memory that can't be written, or is a file's, is no memory for the GPU; what the program unmaps while
 * it is imported makes submissions fail, and no access faults. */
static bool
bad_host_pointers(void)
{
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, NULL))
      return false;
   if (!gpu.is_virtual) {
      gpu_close(&gpu);
      return false;
   }
   enum { SIZE = 1 << 16 };
   const VkExternalMemoryBufferCreateInfo external = {
      .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
      .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
   };
   const VkBuffer buffer = gpu_create_buffer(&gpu, SIZE, 0, 0, &external);
   VkDeviceMemory memory;
   void *words = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   CHECK(words != MAP_FAILED);
   CHECK(import_host(&gpu, buffer, ~0u, words, SIZE, &memory) < 0);
   munmap(words, SIZE);
   const int fd = memfd_create("words", MFD_CLOEXEC);
   CHECK(!ftruncate(fd, SIZE));
   words = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
   CHECK(words != MAP_FAILED);
   CHECK(import_host(&gpu, buffer, ~0u, words, SIZE, &memory) < 0);
   munmap(words, SIZE);
   close(fd);

   words = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   CHECK(words != MAP_FAILED);
   CALL(import_host(&gpu, buffer, ~0u, words, SIZE, &memory));
   CALL(vkBindBufferMemory(gpu.device, buffer, memory, 0));
   store(&gpu, gpu_address(&gpu, buffer), SIZE, 3, 1);
   CHECK_EQUAL(((const uint32_t *)words)[SIZE / 4 - 1], 3 * (SIZE / 4 - 1) + 1);
   const VkCommandBuffer commands = gpu_begin(&gpu);
   vkCmdFillBuffer(commands, buffer, 0, SIZE, 7);
   munmap(words, SIZE);
   CHECK(gpu_try_submit(&gpu, commands) < 0);
   vkDestroyBuffer(gpu.device, buffer, NULL);
   vkFreeMemory(gpu.device, memory, NULL);
   gpu_close(&gpu);
   return true;
}

/* ---- VK_KHR_external_memory_fd, VK_EXT_external_memory_dma_buf ---- */

static const VkExternalMemoryHandleTypeFlagBits types[] = {VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
                                                           VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT};
static const char *const type_names[] = {"opaque", "dma-buf"}; /* to the importer */

/* lavapipe's dma-buf need a device file that a container may not have. */
static uint32_t
type_count(const struct gpu *gpu)
{
   return gpu->is_virtual ? 2 : 1;
}

static bool
descriptors(void)
{
   struct gpu gpu;
   if (!external_open(&gpu))
      return false;
   for (uint32_t t = 0; t < type_count(&gpu); t++) {
      struct buffer ours, theirs;
      external_init(&gpu, &ours, types[t]);
      memset(ours.map, 0, EXTERNAL_SIZE);
      external_import(&gpu, &theirs, types[t], external_export(&gpu, ours.memory, types[t]));
      store(&gpu, theirs.address, EXTERNAL_SIZE, 13, 1);
      for (uint32_t i = 0; i < EXTERNAL_SIZE / 4; i++) {
         CHECK_EQUAL(((uint32_t *)ours.map)[i], 13 * i + 1);
         CHECK_EQUAL(((uint32_t *)theirs.map)[i], 13 * i + 1);
      }
      /* It lives as long as one of them does. */
      buffer_finish(&gpu, &ours);
      store(&gpu, theirs.address, EXTERNAL_SIZE, 2, 3);
      CHECK_EQUAL(((uint32_t *)theirs.map)[1000], 2003);
      buffer_finish(&gpu, &theirs);
   }
   gpu_close(&gpu);
   return true;
}

/* importer, next to this program. */
static void
run_importer(int fd, const char *what)
{
   char path[4096];
   const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 32);
   CHECK(length > 0);
   path[length] = 0;
   strcpy(strrchr(path, '/'), "/vulkan-importer");
   char descriptor[16];
   const int inherited = dup(fd); /* not closed by exec */
   snprintf(descriptor, sizeof(descriptor), "%d", inherited);
   char *const arguments[] = {path, (char *)gpu_shaders, descriptor, (char *)what, NULL};
   pid_t child;
   CHECK(!posix_spawn(&child, path, NULL, NULL, arguments, environ));
   int status;
   CHECK(waitpid(child, &status, 0) == child);
   CHECK_EQUAL(status, 0);
   close(inherited);
}

static bool
another_process(void)
{
   struct gpu gpu;
   if (!external_open(&gpu))
      return false;
   for (uint32_t t = 0; t < type_count(&gpu); t++) {
      struct buffer buffer;
      external_init(&gpu, &buffer, types[t]);
      const int fd = external_export(&gpu, buffer.memory, types[t]);
      store(&gpu, buffer.address, EXTERNAL_SIZE, 3, 7);
      run_importer(fd, type_names[t]);
      close(fd);
      struct buffer copy;
      buffer_init(&gpu, &copy, EXTERNAL_SIZE, 0);
      const VkCommandBuffer commands = gpu_begin(&gpu);
      vkCmdCopyBuffer(commands, buffer.buffer, copy.buffer, 1, &(VkBufferCopy){.size = EXTERNAL_SIZE});
      gpu_submit(&gpu, commands);
      for (uint32_t i = 0; i < EXTERNAL_SIZE / 4; i++) {
         const uint32_t half = EXTERNAL_SIZE / 8, expected = i < half ? 5 * i + 1 : 11 * (i - half) + 2;
         CHECK_EQUAL(((uint32_t *)buffer.map)[i], expected);
         CHECK_EQUAL(((uint32_t *)copy.map)[i], expected);
      }
      buffer_finish(&gpu, &copy);
      buffer_finish(&gpu, &buffer);
   }
   gpu_close(&gpu);
   return true;
}

static bool
image_of_another_process(void)
{
   struct gpu gpu;
   if (!external_open(&gpu))
      return false;
   struct external_image image;
   external_image_init(&gpu, &image, -1);
   make_general(&gpu, image.image);
   level_run(&gpu, &image.level, image.texels, true);
   external_image_transfer(&gpu, &image, false);
   const int fd = external_export(&gpu, image.memory, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
   run_importer(fd, "image");
   close(fd);
   external_image_finish(&gpu, &image);
   gpu_close(&gpu);
   return true;
}

/* ---- VK_EXT_memory_budget ---- */

static VkPhysicalDeviceMemoryBudgetPropertiesEXT
ask_budget(const struct gpu *gpu)
{
   VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
   VkPhysicalDeviceMemoryProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                                   .pNext = &budget};
   vkGetPhysicalDeviceMemoryProperties2(gpu->physical_device, &properties);
   budget.pNext = NULL;
   return budget;
}

static bool
memory_budget(void)
{
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, NULL))
      return false;
   enum { SIZE = 64 << 20 };
   if (!gpu.is_virtual) { /* lavapipe counts the whole machine's memory */
      gpu_close(&gpu);
      return false;
   }
   const uint32_t type = gpu_memory_type(&gpu, UINT32_MAX, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
   const uint32_t heap = gpu.memory.memoryTypes[type].heapIndex;
   const VkPhysicalDeviceMemoryBudgetPropertiesEXT before = ask_budget(&gpu);
   const VkMemoryAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .allocationSize = SIZE,
      .memoryTypeIndex = type,
   };
   VkDeviceMemory memory;
   CALL(vkAllocateMemory(gpu.device, &info, NULL, &memory));
   const VkPhysicalDeviceMemoryBudgetPropertiesEXT with = ask_budget(&gpu);
   vkFreeMemory(gpu.device, memory, NULL);
   const VkPhysicalDeviceMemoryBudgetPropertiesEXT after = ask_budget(&gpu);
   CHECK_EQUAL(with.heapUsage[heap] - before.heapUsage[heap], SIZE);
   CHECK_EQUAL(after.heapUsage[heap], before.heapUsage[heap]);
   for (uint32_t i = 0; i < gpu.memory.memoryHeapCount; i++) {
      CHECK(with.heapBudget[i] > 0 && with.heapBudget[i] <= gpu.memory.memoryHeaps[i].size);
      CHECK(with.heapUsage[i] <= with.heapBudget[i]);
   }
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "memory by host pointer", .run = host_pointer},
   {.name = "memory by host pointer, refused", .run = bad_host_pointers, .not_validated = true},
   {.name = "memory by descriptor", .run = descriptors},
   {.name = "memory of another process", .run = another_process},
   {.name = "image of another process", .run = image_of_another_process, .not_validated = true},
   {.name = "memory budget", .run = memory_budget},
   {.name = NULL},
};
