/* SPDX-License-Identifier: MIT */
/* What the layer answers when the engine asks which named object an address is in. The driver's own answers to
 * vkGetBufferDeviceAddress and its like are what that is measured by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_core.h"
#include "gpu.h"
#include "hdb_core.h"

static struct gpu gpu;
static PFN_vkSetDebugUtilsObjectNameEXT set_name;

static int
ask(uint64_t va, struct hdb_object *object)
{
   static __typeof__(fake_core_object_at) *object_at;
   if (!object_at) {
      void *layer = dlopen(getenv("FAKE_LAYER"), RTLD_NOW | RTLD_NOLOAD);
      assert_non_null(layer);
      object_at = (__typeof__(object_at))dlsym(layer, "fake_core_object_at");
      assert_non_null(object_at);
   }
   return object_at(va, object);
}

static void
assert_object(uint64_t va, const char *name, uint64_t begin, uint64_t size)
{
   struct hdb_object object;
   assert_int_equal(ask(va, &object), 0);
   assert_string_equal(object.name, name);
   assert_int_equal(object.va, begin);
   assert_int_equal(object.size, size);
   free(object.name);
}

static void
assert_none(uint64_t va)
{
   struct hdb_object object;
   assert_int_equal(ask(va, &object), -ENOENT);
}

static void
name(VkObjectType type, uint64_t handle, const char *text)
{
   const VkDebugUtilsObjectNameInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
      .objectType = type,
      .objectHandle = handle,
      .pObjectName = text,
   };
   CALL(set_name(gpu.device, &info));
}

static void
name_buffer(VkBuffer buffer, const char *text)
{
   name(VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer, text);
}

static VkBuffer
create_buffer(VkDeviceSize size, VkBufferCreateFlags flags)
{
   return gpu_create_buffer(&gpu, size, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, flags, NULL);
}

static VkDeviceMemory
allocate(VkDeviceSize size)
{
   const VkMemoryAllocateFlagsInfo flags = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
   };
   const VkMemoryAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .pNext = &flags,
      .allocationSize = size,
      .memoryTypeIndex = gpu_memory_type(&gpu, ~0u, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
   };
   VkDeviceMemory memory;
   CALL(vkAllocateMemory(gpu.device, &info, NULL, &memory));
   return memory;
}

static int
open_gpu(void **state)
{
   static const char *const extensions[] = {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                                            VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, NULL};
   VkPhysicalDeviceAccelerationStructureFeaturesKHR features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR};
   assert_true(gpu_open(&gpu, &(struct gpu_options){.named = true, .extensions = extensions, .features = &features}));
   set_name = (PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(gpu.instance, "vkSetDebugUtilsObjectNameEXT");
   return 0;
}

static int
close_gpu(void **state)
{
   gpu_close(&gpu);
   return 0;
}

static void
test_buffer(void **state)
{
   enum { SIZE = 1000, OFFSET = 4096 }; /* no multiple of what memory is bound in */
   VkBuffer buffer = create_buffer(SIZE, 0);
   VkDeviceMemory memory = allocate(1 << 16);
   name_buffer(buffer, "bound later");
   CALL(vkBindBufferMemory(gpu.device, buffer, memory, OFFSET));
   VkDeviceAddress address = gpu_address(&gpu, buffer);
   assert_object(address, "buffer \"bound later\"", address, SIZE);
   name_buffer(buffer, "blades");
   assert_object(address + SIZE - 1, "buffer \"blades\"", address, SIZE);
   assert_none(address - 1);
   assert_none(address + SIZE);
   name_buffer(buffer, NULL);
   assert_none(address);

   name_buffer(buffer, "blades");
   vkDestroyBuffer(gpu.device, buffer, NULL);
   assert_none(address);
   VkBuffer heir = create_buffer(2 * SIZE, 0); /* at the same place, perhaps with the same handle */
   CALL(vkBindBufferMemory(gpu.device, heir, memory, OFFSET));
   assert_none(address);
   name_buffer(heir, "heir");
   assert_object(address + SIZE, "buffer \"heir\"", address, 2 * SIZE);
   vkDestroyBuffer(gpu.device, heir, NULL);
   vkFreeMemory(gpu.device, memory, NULL);
}

static void
test_image(void **state)
{
   const VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .imageType = VK_IMAGE_TYPE_2D,
      .format = VK_FORMAT_R8G8B8A8_UNORM,
      .extent = {64, 64, 1},
      .mipLevels = 1,
      .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .usage = VK_IMAGE_USAGE_STORAGE_BIT,
   };
   VkImage image;
   VkMemoryRequirements needs;
   CALL(vkCreateImage(gpu.device, &info, NULL, &image));
   vkGetImageMemoryRequirements(gpu.device, image, &needs);
   VkDeviceMemory memory = allocate(2 * needs.size);
   VkBuffer beside = create_buffer(needs.size, 0); /* tells the address */
   CALL(vkBindBufferMemory(gpu.device, beside, memory, 0));
   CALL(vkBindImageMemory(gpu.device, image, memory, needs.size));
   VkDeviceAddress address = gpu_address(&gpu, beside) + needs.size;
   name(VK_OBJECT_TYPE_IMAGE, (uint64_t)image, "albedo");
   assert_object(address, "image \"albedo\"", address, needs.size);
   assert_object(address + needs.size - 1, "image \"albedo\"", address, needs.size);
   assert_none(address - 1);
   vkDestroyImage(gpu.device, image, NULL);
   assert_none(address);
   vkDestroyBuffer(gpu.device, beside, NULL);
   vkFreeMemory(gpu.device, memory, NULL);
}

static void
test_acceleration_structure(void **state)
{
   enum { OFFSET = 512, SIZE = 1024 };
   DEVICE_FUNCTION(&gpu, CreateAccelerationStructureKHR);
   DEVICE_FUNCTION(&gpu, DestroyAccelerationStructureKHR);
   DEVICE_FUNCTION(&gpu, GetAccelerationStructureDeviceAddressKHR);
   struct buffer buffer;
   buffer_init(&gpu, &buffer, 4096, VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR);
   name_buffer(buffer.buffer, "structures");
   const VkAccelerationStructureCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
      .buffer = buffer.buffer,
      .offset = OFFSET,
      .size = SIZE,
      .type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR,
   };
   VkAccelerationStructureKHR structure;
   CALL(CreateAccelerationStructureKHR(gpu.device, &info, NULL, &structure));
   const VkAccelerationStructureDeviceAddressInfoKHR of = {
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
      .accelerationStructure = structure,
   };
   VkDeviceAddress address = GetAccelerationStructureDeviceAddressKHR(gpu.device, &of);
   assert_object(address, "buffer \"structures\"", buffer.address, 4096);
   name(VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR, (uint64_t)structure, "scene");
   assert_object(address, "acceleration structure \"scene\"", address, SIZE);
   assert_object(address + SIZE, "buffer \"structures\"", buffer.address, 4096);
   DestroyAccelerationStructureKHR(gpu.device, structure, NULL);
   assert_object(address, "buffer \"structures\"", buffer.address, 4096);
   buffer_finish(&gpu, &buffer);
   assert_none(address);
}

static void
test_sparse_buffer(void **state)
{
   enum { BLOCKS = 4 };
   if (gpu.sparse == UINT32_MAX)
      skip(); /* no queue binds sparse memory */
   VkMemoryRequirements needs;
   VkBuffer buffer =
      create_buffer(BLOCKS << 16, VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT);
   vkGetBufferMemoryRequirements(gpu.device, buffer, &needs);
   name_buffer(buffer, "holes");
   VkDeviceAddress address = gpu_address(&gpu, buffer);
   assert_object(address, "buffer \"holes\"", address, BLOCKS << 16);

   VkDeviceMemory memory = allocate(needs.alignment);
   for (int bound = 1; bound >= 0; bound--) {
      const VkSparseMemoryBind bind = {
         .resourceOffset = needs.alignment, .size = needs.alignment, .memory = bound ? memory : VK_NULL_HANDLE};
      const VkSparseBufferMemoryBindInfo buffer_bind = {.buffer = buffer, .bindCount = 1, .pBinds = &bind};
      const VkBindSparseInfo info = {
         .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
         .bufferBindCount = 1,
         .pBufferBinds = &buffer_bind,
      };
      VkQueue queue = gpu_queue(&gpu, gpu.sparse, 0);
      CALL(vkQueueBindSparse(queue, 1, &info, VK_NULL_HANDLE));
      CALL(vkQueueWaitIdle(queue));
      assert_object(address + needs.alignment, "buffer \"holes\"", address, BLOCKS << 16);
   }
   vkDestroyBuffer(gpu.device, buffer, NULL);
   vkFreeMemory(gpu.device, memory, NULL);
   assert_none(address);
}

/* ---- at any time, from any thread ---- */

static atomic_bool over;

static void *
keep_asking(void *address)
{
   struct hdb_object object;
   while (!over)
      if (!ask(*(uint64_t *)address, &object))
         free(object.name);
   return NULL;
}

static void
test_threads(void **state)
{
   struct buffer buffer;
   buffer_init(&gpu, &buffer, 256, 0);
   name_buffer(buffer.buffer, "asked for");
   VkDeviceMemory memory = allocate(1 << 16);
   pthread_t thread;
   assert_int_equal(pthread_create(&thread, NULL, keep_asking, &buffer.address), 0);
   for (int i = 0; i < 2000; i++) {
      VkBuffer other = create_buffer(64, 0);
      name_buffer(other, "other");
      CALL(vkBindBufferMemory(gpu.device, other, memory, 0));
      vkDestroyBuffer(gpu.device, other, NULL);
   }
   over = true;
   pthread_join(thread, NULL);
   assert_object(buffer.address, "buffer \"asked for\"", buffer.address, 256);
   buffer_finish(&gpu, &buffer);
   vkFreeMemory(gpu.device, memory, NULL);
}

/* Without VK_EXT_debug_utils there are no names, and nobody listens. */
static void
test_without_names(void **state)
{
   assert_true(gpu_open(&gpu, NULL));
   struct buffer buffer;
   buffer_init(&gpu, &buffer, 256, 0);
   assert_none(buffer.address);
   buffer_finish(&gpu, &buffer);
   gpu_close(&gpu);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_buffer, open_gpu, close_gpu),
      cmocka_unit_test_setup_teardown(test_image, open_gpu, close_gpu),
      cmocka_unit_test_setup_teardown(test_acceleration_structure, open_gpu, close_gpu),
      cmocka_unit_test_setup_teardown(test_sparse_buffer, open_gpu, close_gpu),
      cmocka_unit_test_setup_teardown(test_threads, open_gpu, close_gpu),
      cmocka_unit_test(test_without_names),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
