/* SPDX-License-Identifier: MIT */
/*
 * What shaders print is told by the engine's thread, to whoever listens. A program that has waited for its submission
 * finds the lines told: so they stand in front of what it says next.
 */
#include "hooks.h"

static atomic_int listeners; /* messengers that want lines */

void
layer_prints_listen(int more)
{
   struct hdb_engine *engine = layer_process_engine_if_any();
   int count = atomic_fetch_add(&listeners, more) + more;
   if (engine)
      hdb_engine_set_listened(engine, count > 0);
}

void
layer_prints_join_engine(struct hdb_engine *engine)
{
   hdb_engine_set_listened(engine, atomic_load(&listeners) > 0);
}

void
layer_prints_expect(struct layer_device *device)
{
   pthread_rwlock_rdlock(&device->core_lock);
   if (device->core)
      hdb_device_expect_prints(device->core);
   pthread_rwlock_unlock(&device->core_lock);
}

void
layer_prints_deliver(struct layer_device *device)
{
   if (layer_inert || !layer_prints_exist(device))
      return;
   pthread_rwlock_rdlock(&device->core_lock);
   if (device->core)
      hdb_device_deliver_prints(device->core);
   pthread_rwlock_unlock(&device->core_lock);
}

static VkResult
deliver(struct layer_device *device, VkResult result)
{
   layer_prints_deliver(device);
   return result;
}

/* ---- hooks ---- */

VKAPI_ATTR VkResult VKAPI_CALL
layer_WaitForFences(VkDevice handle, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout)
{
   struct layer_device *device = layer_device_of(handle);
   return deliver(device, device->next.WaitForFences(handle, count, fences, all, timeout));
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_GetFenceStatus(VkDevice handle, VkFence fence)
{
   struct layer_device *device = layer_device_of(handle);
   VkResult result = device->next.GetFenceStatus(handle, fence);
   return result == VK_NOT_READY ? result : deliver(device, result);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo *info, uint64_t timeout)
{
   struct layer_device *device = layer_device_of(handle);
   return deliver(device, device->next.WaitSemaphores(handle, info, timeout));
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_QueueWaitIdle(VkQueue queue)
{
   struct layer_device *device = layer_device_of(queue);
   return deliver(device, device->next.QueueWaitIdle(queue));
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_DeviceWaitIdle(VkDevice handle)
{
   struct layer_device *device = layer_device_of(handle);
   return deliver(device, device->next.DeviceWaitIdle(handle));
}
