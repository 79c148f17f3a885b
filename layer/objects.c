/* SPDX-License-Identifier: MIT */
/*
 * Which of the application's named buffers, images and acceleration structures an address of the GPU is in.
 *
 * The driver tells the addresses itself (VK_EXT_device_address_binding_report) to whoever listens: RADV asks for no
 * feature to be enabled. What it calls things is what the layer sees only if no layer in between wraps handles, as the
 * validation layer does; and that one says nothing of its own accord any more once there is a messenger. So there is a
 * messenger only where the driver's functions come next.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "layer.h"

#define MAX_RANGES 4 /* memory planes of an image (VK_IMAGE_ASPECT_MEMORY_PLANE_3_BIT_EXT) */

struct range {
   uint64_t va, size;
};

struct layer_object {
   uint64_t handle;
   VkObjectType type;
   bool is_known;     /* made on this device: a messenger hears of all devices of its instance */
   VkDeviceSize size; /* as the application has it: memory is bound in the driver's units; 0: not known */
   /* of an acceleration structure, which has no ranges of its own: where it is */
   uint64_t buffer;
   VkDeviceSize offset;
   struct range ranges[MAX_RANGES];
   uint32_t range_count;
   UT_hash_handle hh;
};

static struct layer_object *
find(struct layer_device *device, uint64_t handle)
{
   struct layer_object *object;
   HASH_FIND(hh, device->objects, &handle, sizeof(handle), object);
   return object;
}

/* NULL: out of memory. */
static struct layer_object *
find_or_add(struct layer_device *device, uint64_t handle, VkObjectType type)
{
   struct layer_object *object = find(device, handle);
   if (object || !(object = calloc(1, sizeof(*object))))
      return object;
   *object = (struct layer_object){.handle = handle, .type = type};
   HASH_ADD(hh, device->objects, handle, sizeof(handle), object);
   if (object->hh.tbl)
      return object;
   free(object);
   return NULL;
}

static void
drop(struct layer_device *device, struct layer_object *object)
{
   HASH_DEL(device->objects, object);
   free(object);
}

/* ---- what the driver says ---- */

static bool
contains(struct range range, uint64_t va)
{
   return va - range.va < range.size;
}

/* Pages of a sparse object are bound within the range that it has had from the start. */
static void
bind(struct layer_object *object, struct range range)
{
   for (uint32_t i = 0; i < object->range_count; i++) {
      if (contains(object->ranges[i], range.va))
         return;
   }
   if (object->range_count < MAX_RANGES)
      object->ranges[object->range_count++] = range;
}

static void
unbind(struct layer_object *object, struct range range)
{
   for (uint32_t i = 0; i < object->range_count; i++) {
      if (object->ranges[i].va == range.va && object->ranges[i].size == range.size) {
         object->ranges[i] = object->ranges[--object->range_count];
         return;
      }
   }
}

static const VkDeviceAddressBindingCallbackDataEXT *
find_binding(const VkDebugUtilsMessengerCallbackDataEXT *message)
{
   for (const VkBaseInStructure *next = message->pNext; next; next = next->pNext) {
      if (next->sType == VK_STRUCTURE_TYPE_DEVICE_ADDRESS_BINDING_CALLBACK_DATA_EXT)
         return (const VkDeviceAddressBindingCallbackDataEXT *)next;
   }
   return NULL;
}

/* From the driver's functions, with a lock of its own held: only the innermost lock may be taken here. */
static VKAPI_ATTR VkBool32 VKAPI_CALL
hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
     const VkDebugUtilsMessengerCallbackDataEXT *message, void *user)
{
   struct layer_device *device = user;
   const VkDeviceAddressBindingCallbackDataEXT *binding = find_binding(message);
   if (layer_inert || !binding || !message->objectCount)
      return VK_FALSE;
   /* Flagged as internal is also what the application has not got the handle of yet: sparse objects. */
   VkObjectType type = message->pObjects[0].objectType;
   uint64_t handle = message->pObjects[0].objectHandle;
   if (type != VK_OBJECT_TYPE_BUFFER && type != VK_OBJECT_TYPE_IMAGE)
      return VK_FALSE;
   struct range range = {binding->baseAddress, binding->size};
   pthread_mutex_lock(&device->objects_lock);
   if (binding->bindingType == VK_DEVICE_ADDRESS_BINDING_TYPE_BIND_EXT) {
      struct layer_object *object = find_or_add(device, handle, type);
      if (object)
         bind(object, range);
   } else {
      struct layer_object *object = find(device, handle);
      if (object)
         unbind(object, range);
      if (object && !object->range_count && !object->is_known)
         drop(device, object);
   }
   pthread_mutex_unlock(&device->objects_lock);
   return VK_FALSE;
}

static bool
same_library(PFN_vkVoidFunction a, PFN_vkVoidFunction b)
{
   Dl_info of_a, of_b;
   return a && b && dladdr((void *)a, &of_a) && dladdr((void *)b, &of_b) && of_a.dli_fbase == of_b.dli_fbase;
}

void
layer_objects_init(struct layer_device *device)
{
   struct layer_instance *instance = device->instance;
   if (!instance->debug_utils || !device->driver || !instance->next.CreateDebugUtilsMessengerEXT ||
       !same_library((PFN_vkVoidFunction)device->next.DestroyBuffer,
                     (PFN_vkVoidFunction)device->driver->get_dispatches))
      return;
   const VkDebugUtilsMessengerCreateInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT,
      .pfnUserCallback = hear,
      .pUserData = device,
   };
   if (instance->next.CreateDebugUtilsMessengerEXT(instance->handle, &info, NULL, &device->messenger) != VK_SUCCESS)
      device->messenger = VK_NULL_HANDLE;
}

void
layer_objects_finish(struct layer_device *device)
{
   struct layer_instance *instance = device->instance;
   if (device->messenger)
      instance->next.DestroyDebugUtilsMessengerEXT(instance->handle, device->messenger, NULL);
   struct layer_object *object, *next;
   HASH_ITER (hh, device->objects, object, next)
      drop(device, object);
}

/* ---- what the application says ---- */

void
layer_object_add_buffer(struct layer_device *device, VkBuffer handle, VkDeviceSize size)
{
   pthread_mutex_lock(&device->objects_lock);
   struct layer_object *object = find_or_add(device, (uint64_t)handle, VK_OBJECT_TYPE_BUFFER);
   if (object) {
      object->is_known = true;
      object->size = size;
   }
   pthread_mutex_unlock(&device->objects_lock);
}

void
layer_object_add_acceleration_structure(struct layer_device *device, VkAccelerationStructureKHR handle,
                                        const VkAccelerationStructureCreateInfoKHR *info)
{
   pthread_mutex_lock(&device->objects_lock);
   struct layer_object *object = find_or_add(device, (uint64_t)handle, VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR);
   if (object) {
      object->is_known = true;
      object->size = info->size;
      object->buffer = (uint64_t)info->buffer;
      object->offset = info->offset;
   }
   pthread_mutex_unlock(&device->objects_lock);
}

void
layer_object_remove(struct layer_device *device, uint64_t handle)
{
   pthread_mutex_lock(&device->objects_lock);
   struct layer_object *object = find(device, handle);
   if (object)
      drop(device, object);
   pthread_mutex_unlock(&device->objects_lock);
}

/* ---- what the engine asks ---- */

/* Of no size: nowhere, or not at that address. */
static struct range
range_at(struct layer_device *device, const struct layer_object *object, uint64_t va)
{
   struct range range = {0, 0};
   if (object->type == VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR) {
      const struct layer_object *buffer = find(device, object->buffer);
      if (buffer && buffer->range_count)
         range = (struct range){buffer->ranges[0].va + object->offset, object->size};
   }
   for (uint32_t i = 0; i < object->range_count; i++) {
      if (contains(object->ranges[i], va))
         range = object->ranges[i];
   }
   if (object->size && object->size < range.size)
      range.size = object->size;
   return contains(range, va) ? range : (struct range){0, 0};
}

static const char *
kind_of(VkObjectType type)
{
   switch (type) {
   case VK_OBJECT_TYPE_BUFFER:
      return "buffer";
   case VK_OBJECT_TYPE_IMAGE:
      return "image";
   default:
      return "acceleration structure";
   }
}

/* The smallest: memory may hold several, as a buffer holds acceleration structures. */
int
layer_object_at(void *user, uint64_t va, struct hdb_object *found)
{
   struct layer_device *device = user;
   const struct layer_object *object, *next;
   *found = (struct hdb_object){.size = UINT64_MAX};
   const char *kind = NULL, *name = NULL;
   pthread_mutex_lock(&device->lock);
   pthread_mutex_lock(&device->objects_lock);
   HASH_ITER (hh, device->objects, object, next) {
      struct range range = range_at(device, object, va);
      const char *its_name = range.size && range.size < found->size ? layer_name_find(device, object->handle) : NULL;
      if (its_name) {
         name = its_name;
         kind = kind_of(object->type);
         found->va = range.va;
         found->size = range.size;
      }
   }
   int result = name ? 0 : -ENOENT;
   if (name && asprintf(&found->name, "%s \"%s\"", kind, name) < 0)
      result = -ENOMEM;
   pthread_mutex_unlock(&device->objects_lock);
   pthread_mutex_unlock(&device->lock);
   return result;
}

/* Of no size: it has no further one. */
static struct range
nth_range(struct layer_device *device, const struct layer_object *object, uint32_t i)
{
   struct range range = {0, 0};
   if (i < object->range_count)
      range = object->ranges[i];
   else if (i == 0 && object->type == VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR) {
      const struct layer_object *buffer = find(device, object->buffer);
      if (buffer && buffer->range_count)
         range = (struct range){buffer->ranges[0].va + object->offset, object->size};
   }
   return range.size ? range_at(device, object, range.va) : range;
}

void
layer_object_each(void *user, void (*visit)(void *visitor, const char *name, uint64_t va, uint64_t size), void *visitor)
{
   struct layer_device *device = user;
   const struct layer_object *object, *next;
   pthread_mutex_lock(&device->lock);
   pthread_mutex_lock(&device->objects_lock);
   HASH_ITER (hh, device->objects, object, next) {
      const char *name = layer_name_find(device, object->handle);
      struct range range = {0, 0};
      for (uint32_t i = 0; name && (range = nth_range(device, object, i)).size; i++) {
         char *text;
         if (asprintf(&text, "%s \"%s\"", kind_of(object->type), name) < 0)
            continue;
         visit(visitor, text, range.va, range.size);
         free(text);
      }
   }
   pthread_mutex_unlock(&device->objects_lock);
   pthread_mutex_unlock(&device->lock);
}
