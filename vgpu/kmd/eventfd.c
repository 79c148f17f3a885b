/* SPDX-License-Identifier: MIT */
/* Eventfds that are written when a syncobj reaches a point. */
#include <drm.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "kmd/kmd.h"

static bool
eventfd_is_due(struct eventfd_wait *wait)
{
   if (!wait->fence) {
      if (syncobj_find_point(wait->syncobj, wait->point, &wait->fence))
         return false;
      if (!wait->fence)
         return true;
   }
   return wait->fence && (wait->available || fence_is_signaled(wait->fence));
}

static void
eventfd_wait_free(struct eventfd_wait *wait)
{
   close(wait->fd);
   fence_unref(wait->fence);
   syncobj_unref(wait->syncobj);
   free(wait);
}

void
eventfd_waits_check(struct kmd *kmd)
{
   for (struct eventfd_wait **link = &kmd->eventfd_waits; *link;) {
      struct eventfd_wait *wait = *link;
      if (!eventfd_is_due(wait)) {
         link = &wait->next;
         continue;
      }
      *link = wait->next;
      uint64_t one = 1;
      if (write(wait->fd, &one, sizeof(one)) < 0)
         vgpu_log(kmd->gpu, "SYNCOBJ_EVENTFD: the eventfd cannot be written");
      eventfd_wait_free(wait);
   }
}

static uint32_t
count_waits(const struct kmd *kmd, const struct syncobj *syncobj)
{
   uint32_t count = 0;
   for (const struct eventfd_wait *wait = kmd->eventfd_waits; wait; wait = wait->next)
      count += wait->syncobj == syncobj;
   return count;
}

void
eventfd_waits_release(struct kmd *kmd)
{
   for (struct eventfd_wait **link = &kmd->eventfd_waits; *link;) {
      struct eventfd_wait *wait = *link;
      if (wait->syncobj->refs > count_waits(kmd, wait->syncobj)) {
         link = &wait->next;
         continue;
      }
      *link = wait->next;
      eventfd_wait_free(wait);
   }
}

void
eventfd_waits_finish(struct kmd *kmd)
{
   while (kmd->eventfd_waits) {
      struct eventfd_wait *wait = kmd->eventfd_waits;
      kmd->eventfd_waits = wait->next;
      eventfd_wait_free(wait);
   }
}

int
kmd_syncobj_eventfd(struct kmd *kmd, void *data)
{
   struct drm_syncobj_eventfd *args = data;
   if (args->pad || args->flags & ~DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE)
      return -EINVAL;

   struct eventfd_wait *wait = calloc(1, sizeof(*wait));
   if (!wait)
      return -ENOMEM;
   wait->fd = dup(args->fd);
   wait->point = args->point;
   wait->available = args->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;

   kmd_lock(kmd);
   struct syncobj *syncobj = handle_table_get(&kmd->syncobjs, args->handle);
   int r = wait->fd < 0 ? -EBADF : syncobj ? 0 : -ENOENT;
   if (!r) {
      wait->syncobj = syncobj_ref(syncobj);
      wait->next = kmd->eventfd_waits;
      kmd->eventfd_waits = wait;
      eventfd_waits_check(kmd);
   }
   kmd_unlock(kmd);
   if (r) {
      if (wait->fd >= 0)
         close(wait->fd);
      free(wait);
   }
   return r;
}
