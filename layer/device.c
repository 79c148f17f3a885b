/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "hooks.h"

static struct layer_map devices = LAYER_MAP_INITIALIZER;
static atomic_int engine_devices; /* that the engine has */

struct layer_device *
layer_device_of(const void *handle)
{
   return layer_map_find(&devices, *(void *const *)handle);
}

static VkLayerDeviceLink *
take_link(const VkDeviceCreateInfo *info)
{
   for (const VkLayerDeviceCreateInfo *next = info->pNext; next; next = next->pNext) {
      if (next->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && next->function == VK_LAYER_LINK_INFO) {
         VkLayerDeviceLink *link = next->u.pLayerInfo;
         ((VkLayerDeviceCreateInfo *)next)->u.pLayerInfo = link->pNext;
         return link;
      }
   }
   return NULL;
}

static bool
is_enabled(const VkDeviceCreateInfo *info, const char *extension)
{
   for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
      if (!strcmp(info->ppEnabledExtensionNames[i], extension))
         return true;
   }
   return false;
}

/* ---- shaders, on the threads that the driver calls back on ---- */

static void
remember_early_shader(struct layer_device *device, const struct hdb_shader *shader)
{
   pthread_mutex_lock(&device->early_lock);
   if (device->early_shader_count == device->early_shader_capacity) {
      size_t capacity = device->early_shader_capacity ? 2 * device->early_shader_capacity : 64;
      void *shaders = realloc(device->early_shaders, capacity * sizeof(*device->early_shaders));
      if (!shaders)
         goto out; /* a shader that the debugger does not know */
      device->early_shaders = shaders;
      device->early_shader_capacity = capacity;
   }
   device->early_shaders[device->early_shader_count++] = shader;
out:
   pthread_mutex_unlock(&device->early_lock);
}

static void
shader_created(void *user, const struct hdb_shader *shader)
{
   struct layer_device *device = user;
   if (layer_inert)
      return;
   pthread_rwlock_rdlock(&device->core_lock);
   if (device->core)
      hdb_device_add_shader(device->core, shader);
   else
      remember_early_shader(device, shader);
   pthread_rwlock_unlock(&device->core_lock);
}

static void
shader_destroyed(void *user, const struct hdb_shader *shader)
{
   struct layer_device *device = user;
   if (layer_inert)
      return;
   pthread_rwlock_rdlock(&device->core_lock);
   if (device->core)
      hdb_device_remove_shader(device->core, shader);
   pthread_mutex_lock(&device->early_lock);
   for (size_t i = 0; i < device->early_shader_count; i++) {
      if (device->early_shaders[i] == shader) {
         device->early_shaders[i] = device->early_shaders[--device->early_shader_count];
         break;
      }
   }
   pthread_mutex_unlock(&device->early_lock);
   pthread_rwlock_unlock(&device->core_lock);
}

/* ---- the engine's side ---- */

static void
say_no_driver(const char *name, bool ours)
{
   static atomic_flag said = ATOMIC_FLAG_INIT;
   if (atomic_flag_test_and_set(&said))
      return;
   if (ours)
      fprintf(stderr,
              "hdb: %s is run by hdb's driver, but the driver was not reached: a layer below VK_LAYER_hdb drops the "
              "structure 0x%x from VkDeviceCreateInfo, or the driver is of another version, or the card is not RDNA3; "
              "dispatches are listed but can't be attached to\n",
              name, HDB_STRUCTURE_TYPE_DRIVER_LINK);
   else
      fprintf(stderr,
              "hdb: %s has no hdb support: dispatches are listed but can't be attached to; use hdb's driver "
              "(`eval \"$(script/env)\"`) or `hdb run --gpu virtual`\n",
              name);
}

void
layer_device_join_engine(struct layer_device *device)
{
   struct hdb_engine *engine = device->core ? NULL : layer_process_engine(device->driver);
   const struct hdb_object_source objects = {.at = layer_object_at, .each = layer_object_each, .user = device};
   struct hdb_device *core = NULL;
   if (!engine || hdb_engine_add_device(engine, device->driver, device->name, &objects, &core) < 0)
      return;
   pthread_rwlock_wrlock(&device->core_lock);
   for (size_t i = 0; i < device->early_shader_count; i++)
      hdb_device_add_shader(core, device->early_shaders[i]);
   device->early_shader_count = 0;
   device->core = core;
   engine_devices++;
   pthread_rwlock_unlock(&device->core_lock);
}

static void
add_to_engine(struct layer_device *device, VkPhysicalDevice physical_device)
{
   VkPhysicalDeviceProperties properties;
   device->instance->next.GetPhysicalDeviceProperties(physical_device, &properties);
   memcpy(device->name, properties.deviceName, sizeof(device->name));
   if (!device->driver)
      say_no_driver(device->name, layer_device_is_ours(device->instance, physical_device));
   layer_device_join_engine(device);
}

static void
remove_from_engine(struct layer_device *device)
{
   pthread_rwlock_wrlock(&device->core_lock);
   struct hdb_device *core = device->core;
   device->core = NULL;
   pthread_rwlock_unlock(&device->core_lock);
   if (!core)
      return;
   hdb_engine_remove_device(core);
   if (--engine_devices == 0) /* no question, no stop: hdb, told so, may not have left its prompt yet */
      layer_prompt_end();
}

/* ---- creation and destruction ---- */

static void
load_functions(struct layer_device *device)
{
#define LOAD(name) device->next.name = (PFN_vk##name)device->get_proc_addr(device->handle, "vk" #name);
   LAYER_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
   /* Promoted functions under the names that older versions know them by. */
#define LOAD_KHR(name)     \
   if (!device->next.name) \
      device->next.name = (PFN_vk##name)device->get_proc_addr(device->handle, "vk" #name "KHR");
   LOAD_KHR(QueueSubmit2)
   LOAD_KHR(CmdDispatchBase)
   LOAD_KHR(WaitSemaphores)
#undef LOAD_KHR
   /* Those of an instance extension go down the instance's chain: its end replaces the loader's own handles. */
   if (!device->instance->debug_utils)
      return;
#define LOAD_INSTANCE(name) \
   device->next.name = (PFN_vk##name)device->instance->get_proc_addr(device->instance->handle, "vk" #name);
   LOAD_INSTANCE(CmdBeginDebugUtilsLabelEXT)
   LOAD_INSTANCE(CmdEndDebugUtilsLabelEXT)
   LOAD_INSTANCE(CmdInsertDebugUtilsLabelEXT)
   LOAD_INSTANCE(QueueBeginDebugUtilsLabelEXT)
   LOAD_INSTANCE(QueueEndDebugUtilsLabelEXT)
   LOAD_INSTANCE(QueueInsertDebugUtilsLabelEXT)
   LOAD_INSTANCE(SetDebugUtilsObjectNameEXT)
#undef LOAD_INSTANCE
}

static struct layer_device *
create_device(struct layer_instance *instance, PFN_vkGetDeviceProcAddr get_proc_addr)
{
   struct layer_device *device = calloc(1, sizeof(*device));
   if (!device)
      return NULL;
   device->instance = instance;
   device->get_proc_addr = get_proc_addr;
   pthread_rwlock_init(&device->core_lock, NULL);
   pthread_mutex_init(&device->early_lock, NULL);
   pthread_mutex_init(&device->lock, NULL);
   pthread_mutex_init(&device->objects_lock, NULL);
   pthread_condattr_t attributes;
   pthread_condattr_init(&attributes);
   pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
   pthread_cond_init(&device->retired, &attributes);
   pthread_condattr_destroy(&attributes);
   device->link = (struct hdb_driver_link){
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .flags = layer_process_compiles_debug() ? HDB_DRIVER_COMPILE_DEBUG : 0,
      .shader_created = shader_created,
      .shader_destroyed = shader_destroyed,
      .user = device,
      .driver = &device->driver,
   };
   return device;
}

static void
free_device(struct layer_device *device)
{
   free(device->early_shaders);
   pthread_rwlock_destroy(&device->core_lock);
   pthread_mutex_destroy(&device->early_lock);
   pthread_mutex_destroy(&device->lock);
   pthread_mutex_destroy(&device->objects_lock);
   pthread_cond_destroy(&device->retired);
   free(device);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
                   const VkAllocationCallbacks *allocator, VkDevice *handle)
{
   struct layer_instance *instance = layer_instance_of(physical_device);
   VkLayerDeviceLink *link = take_link(info);
   if (!instance || !link)
      return VK_ERROR_INITIALIZATION_FAILED;
   /* Asked for with the instance: a NULL one makes the loader crash. */
   PFN_vkCreateDevice create = (PFN_vkCreateDevice)link->pfnNextGetInstanceProcAddr(instance->handle, "vkCreateDevice");
   if (!create)
      return VK_ERROR_INITIALIZATION_FAILED;
   struct layer_device *device = create_device(instance, link->pfnNextGetDeviceProcAddr);
   if (!device)
      return VK_ERROR_OUT_OF_HOST_MEMORY;

   VkDeviceCreateInfo linked_info = *info;
   device->link.pNext = info->pNext;
   if (!layer_inert)
      linked_info.pNext = &device->link;
   VkResult result = create(physical_device, &linked_info, allocator, handle);
   device->link.pNext = NULL;
   if (result != VK_SUCCESS) {
      free_device(device);
      return result;
   }
   device->handle = *handle;
   device->frame_boundaries = is_enabled(info, VK_EXT_FRAME_BOUNDARY_EXTENSION_NAME);
   device->debug_marker = is_enabled(info, VK_EXT_DEBUG_MARKER_EXTENSION_NAME);
   load_functions(device);
   if (layer_map_add(&devices, *(void **)*handle, device) < 0) {
      device->next.DestroyDevice(*handle, allocator);
      free_device(device);
      *handle = VK_NULL_HANDLE;
      return VK_ERROR_OUT_OF_HOST_MEMORY;
   }
   if (!layer_inert) {
      layer_objects_init(device);
      add_to_engine(device, physical_device);
   }
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
   if (!handle)
      return;
   struct layer_device *device = layer_device_of(handle);
   layer_map_remove(&devices, *(void **)handle);
   if (layer_inert) { /* threads and engine are the parent's */
      device->next.DestroyDevice(handle, allocator);
      return;
   }
   /* What the application has waited for is told to the engine as it ended, also as lost. */
   layer_submissions_catch_up(device);
   layer_prints_deliver(device);
   layer_callbacks_remove_device(device);
   /* In this order: the engine lets stopped waves go on, so that the watchers' fences come. */
   remove_from_engine(device);
   layer_queues_finish(device);
   layer_command_buffers_finish(device);
   layer_stand_ins_finish(device);
   layer_names_finish(device);
   layer_push_sizes_finish(device);
   layer_objects_finish(device);
   device->next.DestroyDevice(handle, allocator);
   free_device(device);
}
