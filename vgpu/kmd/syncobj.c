/* SPDX-License-Identifier: MIT */
/* Syncobjs: places that a fence can be put into, and timelines when points are used. */
#include <drm.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "kmd/shared.h"

struct syncobj *
syncobj_create(struct fence *fence)
{
   struct syncobj *syncobj = calloc(1, sizeof(*syncobj));
   if (!syncobj) {
      fence_unref(fence);
      return NULL;
   }
   syncobj->refs = 1;
   syncobj->fence = fence;
   return syncobj;
}

struct syncobj *
syncobj_ref(struct syncobj *syncobj)
{
   syncobj->refs++;
   return syncobj;
}

void
syncobj_unref(struct syncobj *syncobj)
{
   if (syncobj && --syncobj->refs == 0) {
      if (syncobj->shared)
         shared_syncobj_destroy(syncobj->shared);
      fence_unref(syncobj->fence);
      free(syncobj);
   }
}

int
syncobj_replace_fence(struct syncobj *syncobj, struct fence *fence)
{
   if (!syncobj->shared) {
      fence_unref(syncobj->fence);
      syncobj->fence = fence;
      return 0;
   }
   if (!fence) {
      shared_syncobj_reset(syncobj->shared);
      return 0;
   }
   int r = shared_syncobj_put(syncobj->shared, fence, true, 0);
   fence_unref(fence);
   return r;
}

int
syncobj_add_point(struct syncobj *syncobj, struct fence *fence, uint64_t point)
{
   if (syncobj->shared)
      return shared_syncobj_put(syncobj->shared, fence, false, point);
   struct fence *link = fence_create_link(syncobj->fence, fence, point);
   return link ? syncobj_replace_fence(syncobj, link) : -ENOMEM;
}

int
syncobj_find_point(struct syncobj *syncobj, uint64_t point, struct fence **fence)
{
   if (syncobj->shared)
      return shared_syncobj_find(syncobj->shared, point, fence);
   *fence = NULL;
   return syncobj->fence ? fence_find_point(syncobj->fence, point, fence) : -EINVAL;
}

static uint64_t
last_point(struct syncobj *syncobj, bool submitted)
{
   if (syncobj->shared)
      return shared_syncobj_last_point(syncobj->shared, submitted);
   return syncobj->fence ? fence_last_point(syncobj->fence, submitted) : 0;
}

static struct syncobj *
get(struct kmd *kmd, uint32_t handle)
{
   return handle_table_get(&kmd->syncobjs, handle);
}

/* A new reference to the fence of a point, one that has signalled if the point has been reached. */
static int
find_fence(struct syncobj *syncobj, uint64_t point, struct fence **fence)
{
   int r = syncobj_find_point(syncobj, point, fence);
   if (r)
      return r;
   if (!*fence)
      *fence = fence_create_signaled();
   return *fence ? 0 : -ENOMEM;
}

/* ---- create, destroy, descriptors ------------------------------------------------------------------------------- */

static int
add_handle(struct kmd *kmd, struct syncobj *syncobj, uint32_t *handle)
{
   *handle = handle_table_add(&kmd->syncobjs, syncobj);
   if (*handle)
      return 0;
   syncobj_unref(syncobj);
   return -ENOMEM;
}

int
kmd_syncobj_create(struct kmd *kmd, void *data)
{
   struct drm_syncobj_create *args = data;
   if (args->flags & ~DRM_SYNCOBJ_CREATE_SIGNALED)
      return -EINVAL;

   struct fence *fence = NULL;
   if (args->flags & DRM_SYNCOBJ_CREATE_SIGNALED) {
      fence = fence_create_signaled();
      if (!fence)
         return -ENOMEM;
   }
   struct syncobj *syncobj = syncobj_create(fence);
   if (!syncobj)
      return -ENOMEM;
   kmd_lock(kmd);
   int r = add_handle(kmd, syncobj, &args->handle);
   kmd_unlock(kmd);
   return r;
}

int
kmd_syncobj_destroy(struct kmd *kmd, void *data)
{
   struct drm_syncobj_destroy *args = data;
   kmd_lock(kmd);
   struct syncobj *syncobj = handle_table_remove(&kmd->syncobjs, args->handle);
   syncobj_unref(syncobj);
   kmd_unlock(kmd);
   return syncobj ? 0 : -EINVAL;
}

int
kmd_syncobj_handle_to_fd(struct kmd *kmd, void *data)
{
   struct drm_syncobj_handle *args = data;
   if (args->flags & ~DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)
      return -EINVAL;

   kmd_lock(kmd);
   struct syncobj *syncobj = get(kmd, args->handle);
   int r = syncobj ? 0 : -ENOENT;
   if (!r && args->flags & DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE) {
      struct fence *fence;
      r = find_fence(syncobj, 0, &fence);
      if (!r)
         r = shared_file_create(kmd, SHARED_FENCE, fence);
      fence_unref(fence);
   } else if (!r) {
      r = shared_syncobj_export(kmd, syncobj);
   }
   kmd_unlock(kmd);
   if (r < 0)
      return r;
   args->fd = r;
   return 0;
}

int
kmd_syncobj_fd_to_handle(struct kmd *kmd, void *data)
{
   struct drm_syncobj_handle *args = data;
   if (args->flags & ~DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE)
      return -EINVAL;

   kmd_lock(kmd);
   int r = 0;
   if (args->flags & DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE) {
      struct fence *fence = shared_file_object(kmd, args->fd, SHARED_FENCE);
      struct syncobj *syncobj = get(kmd, args->handle);
      if (!fence || !syncobj) {
         r = fence ? -ENOENT : -EINVAL;
      } else {
         r = syncobj_replace_fence(syncobj, fence_ref(fence));
         kmd_notify(kmd);
      }
   } else {
      struct syncobj *syncobj;
      r = shared_syncobj_import(kmd, args->fd, &syncobj);
      if (!r)
         r = add_handle(kmd, syncobj, &args->handle);
   }
   kmd_unlock(kmd);
   return r;
}

/* ---- wait ------------------------------------------------------------------------------------------------------- */

struct wait {
   struct syncobj *syncobj;
   struct fence *fence; /* once there is one; kept, so that a reset by another thread does not matter */
   bool done;
};

/* Looks for fences that have come and signals that were given. True when the wait is over. */
static bool
check(struct wait *waits, const uint64_t *points, uint32_t count, uint32_t flags, uint32_t *first)
{
   uint32_t done = 0;
   *first = ~0u;
   for (uint32_t i = 0; i < count; i++) {
      struct wait *wait = &waits[i];
      uint64_t point = points ? points[i] : 0;

      if (!wait->done && !wait->fence)
         wait->done = !syncobj_find_point(wait->syncobj, point, &wait->fence) && !wait->fence;
      if (wait->fence && (flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE || fence_is_signaled(wait->fence)))
         wait->done = true;
      if (wait->done) {
         done++;
         if (*first == ~0u)
            *first = i;
      }
   }
   return flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL ? done == count : done > 0;
}

static int
wait_for(struct kmd *kmd, const uint32_t *handles, const uint64_t *points, uint32_t count, int64_t timeout,
         uint32_t flags, uint32_t *first)
{
   if (!count || count > 65536)
      return -EINVAL;
   struct wait *waits = calloc(count, sizeof(*waits));
   if (!waits)
      return -ENOMEM;

   int r = 0;
   struct deadline deadline = deadline_at(kmd, timeout < 0 ? 0 : timeout);
   kmd_lock(kmd);
   for (uint32_t i = 0; i < count && !r; i++) {
      struct syncobj *syncobj = get(kmd, handles[i]);
      if (syncobj)
         waits[i].syncobj = syncobj_ref(syncobj);
      else
         r = -ENOENT;
   }

   bool over = !r && check(waits, points, count, flags, first);
   const uint32_t patient = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
   for (uint32_t i = 0; i < count && !r && !(flags & patient); i++) {
      if (!waits[i].done && !waits[i].fence)
         r = -EINVAL;
   }
   while (!r && !over) {
      if (!kmd_wait(kmd, &deadline))
         r = -ETIME;
      else
         over = check(waits, points, count, flags, first);
   }

   for (uint32_t i = 0; i < count; i++) {
      syncobj_unref(waits[i].syncobj);
      fence_unref(waits[i].fence);
   }
   kmd_unlock(kmd);
   free(waits);
   return r;
}

int
kmd_syncobj_wait(struct kmd *kmd, void *data)
{
   struct drm_syncobj_wait *args = data;
   const uint32_t known =
      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_DEADLINE;
   if (args->flags & ~known)
      return -EINVAL;
   return wait_for(kmd, (const uint32_t *)args->handles, NULL, args->count_handles, args->timeout_nsec, args->flags,
                   &args->first_signaled);
}

int
kmd_syncobj_timeline_wait(struct kmd *kmd, void *data)
{
   struct drm_syncobj_timeline_wait *args = data;
   const uint32_t known = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
                          DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_DEADLINE;
   if (args->flags & ~known)
      return -EINVAL;
   return wait_for(kmd, (const uint32_t *)args->handles, (const uint64_t *)args->points, args->count_handles,
                   args->timeout_nsec, args->flags, &args->first_signaled);
}

/* ---- reset, signal, query, transfer ----------------------------------------------------------------------------- */

/* Puts a signalled fence (or none) into each; at a point of its timeline if `points` says one. */
static int
set_all(struct kmd *kmd, const uint32_t *handles, const uint64_t *points, uint32_t count, bool signaled)
{
   if (!count)
      return -EINVAL;

   int r = 0;
   kmd_lock(kmd);
   for (uint32_t i = 0; i < count && !r; i++) {
      if (!get(kmd, handles[i]))
         r = -ENOENT;
   }
   for (uint32_t i = 0; i < count && !r; i++) {
      struct syncobj *syncobj = get(kmd, handles[i]);
      struct fence *fence = signaled ? fence_create_signaled() : NULL;
      if (signaled && !fence) {
         r = -ENOMEM;
      } else if (points && points[i]) {
         r = syncobj_add_point(syncobj, fence, points[i]);
         fence_unref(fence);
      } else {
         r = syncobj_replace_fence(syncobj, fence);
      }
   }
   if (signaled)
      kmd_notify(kmd);
   kmd_unlock(kmd);
   return r;
}

int
kmd_syncobj_reset(struct kmd *kmd, void *data)
{
   struct drm_syncobj_array *args = data;
   return set_all(kmd, (const uint32_t *)args->handles, NULL, args->count_handles, false);
}

int
kmd_syncobj_signal(struct kmd *kmd, void *data)
{
   struct drm_syncobj_array *args = data;
   return set_all(kmd, (const uint32_t *)args->handles, NULL, args->count_handles, true);
}

int
kmd_syncobj_timeline_signal(struct kmd *kmd, void *data)
{
   struct drm_syncobj_timeline_array *args = data;
   if (args->flags)
      return -EINVAL;
   return set_all(kmd, (const uint32_t *)args->handles, (const uint64_t *)args->points, args->count_handles, true);
}

int
kmd_syncobj_query(struct kmd *kmd, void *data)
{
   struct drm_syncobj_timeline_array *args = data;
   const uint32_t *handles = (const uint32_t *)args->handles;
   uint64_t *points = (uint64_t *)args->points;
   if (args->flags & ~DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED || !args->count_handles)
      return -EINVAL;

   int r = 0;
   kmd_lock(kmd);
   for (uint32_t i = 0; i < args->count_handles && !r; i++) {
      struct syncobj *syncobj = get(kmd, handles[i]);
      if (!syncobj)
         r = -ENOENT;
      else
         points[i] = last_point(syncobj, args->flags);
   }
   kmd_unlock(kmd);
   return r;
}

/* The kernel, too, waits no longer than this for a fence to be transferred. */
#define TRANSFER_TIMEOUT_NS 5000000000ll

int
kmd_syncobj_transfer(struct kmd *kmd, void *data)
{
   struct drm_syncobj_transfer *args = data;
   if (args->pad || args->flags & ~DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)
      return -EINVAL;

   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   struct deadline deadline = deadline_at(kmd, now.tv_sec * 1000000000ll + now.tv_nsec + TRANSFER_TIMEOUT_NS);

   kmd_lock(kmd);
   struct syncobj *source = get(kmd, args->src_handle), *target = get(kmd, args->dst_handle);
   if (!source || !target) {
      kmd_unlock(kmd);
      return -ENOENT;
   }
   syncobj_ref(source);
   syncobj_ref(target);

   struct fence *fence;
   int r = find_fence(source, args->src_point, &fence);
   while (r == -EINVAL && args->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)
      r = kmd_wait(kmd, &deadline) ? find_fence(source, args->src_point, &fence) : -ETIME;

   if (!r && args->dst_point)
      r = syncobj_add_point(target, fence, args->dst_point);
   else if (!r)
      r = syncobj_replace_fence(target, fence_ref(fence));
   if (!r)
      kmd_notify(kmd);
   fence_unref(fence);
   syncobj_unref(source);
   syncobj_unref(target);
   kmd_unlock(kmd);
   return r;
}
