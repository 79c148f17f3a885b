/* SPDX-License-Identifier: MIT */
/* Fences, timelines made of them, and the two ways to wait: a thread here, a job in submit.c. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "kmd/shared.h"

static uint64_t
now_ns(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* ---- objects ---------------------------------------------------------------------------------------------------- */

struct fence *
fence_create(void)
{
   struct fence *fence = calloc(1, sizeof(*fence));
   if (fence)
      fence->refs = 1;
   return fence;
}

void
fence_signal(struct fence *fence, int error)
{
   if (fence->signaled)
      return;
   fence->signaled = true;
   fence->error = error;
   fence->signal_time = now_ns();
}

struct fence *
fence_create_signaled(void)
{
   struct fence *fence = fence_create();
   if (fence)
      fence_signal(fence, 0);
   return fence;
}

struct fence *
fence_create_entry(struct syncobj *syncobj, uint64_t serial)
{
   struct fence *fence = fence_create();
   if (fence) {
      fence->log_of = syncobj_ref(syncobj);
      fence->serial = serial;
   }
   return fence;
}

struct fence *
fence_create_array(struct fence *const *parts, uint32_t count)
{
   struct fence *fence = fence_create();
   if (!fence)
      return NULL;
   fence->parts = calloc(count, sizeof(*fence->parts));
   if (!fence->parts) {
      free(fence);
      return NULL;
   }
   for (uint32_t i = 0; i < count; i++)
      fence->parts[i] = fence_ref(parts[i]);
   fence->part_count = count;
   return fence;
}

struct fence *
fence_create_link(struct fence *prev, struct fence *part, uint64_t point)
{
   struct fence *fence = fence_create_array(&part, 1);
   if (!fence)
      return NULL;
   fence->point = point;
   fence->prev_point = prev ? prev->point : 0;
   fence->prev = fence_ref(prev);

   /* A timeline that always has something outstanding must not remember its past for ever. */
   for (struct fence *link = fence; link->prev; link = link->prev) {
      if (fence_is_signaled(link->prev)) {
         fence_unref(link->prev);
         link->prev = NULL;
         break;
      }
   }
   return fence;
}

struct fence *
fence_ref(struct fence *fence)
{
   if (fence)
      fence->refs++;
   return fence;
}

/* A long timeline would be a deep recursion: links are let go in a loop. */
void
fence_unref(struct fence *fence)
{
   while (fence && --fence->refs == 0) {
      struct fence *prev = fence->prev;
      for (uint32_t i = 0; i < fence->part_count; i++)
         fence_unref(fence->parts[i]);
      free(fence->parts);
      syncobj_unref(fence->log_of);
      free(fence);
      fence = prev;
   }
}

/* What has signalled needs its parts no more. */
static void
collapse(struct fence *fence)
{
   int error = 0;
   for (uint32_t i = 0; i < fence->part_count; i++) {
      if (!error)
         error = fence->parts[i]->error;
      fence_unref(fence->parts[i]);
   }
   free(fence->parts);
   fence->parts = NULL;
   fence->part_count = 0;
   fence_unref(fence->prev);
   fence->prev = NULL;
   fence_signal(fence, error);
}

static bool
parts_are_signaled(struct fence *fence)
{
   for (uint32_t i = 0; i < fence->part_count; i++) {
      if (!fence_is_signaled(fence->parts[i]))
         return false;
   }
   return true;
}

static bool
entry_is_signaled(struct fence *fence)
{
   int error = -ECANCELED; /* the card is at its end */
   struct shared_syncobj *shared = fence->log_of->shared;
   if (shared && !shared_syncobj_is_done(shared, fence->serial, &error))
      return false;
   fence_signal(fence, error);
   return true;
}

bool
fence_is_signaled(struct fence *fence)
{
   if (fence->signaled)
      return true;
   if (fence->log_of)
      return entry_is_signaled(fence);
   if (!fence->part_count || !parts_are_signaled(fence))
      return false;

   for (struct fence *link = fence->prev; link; link = link->prev) {
      if (link->signaled)
         break;
      if (!link->part_count || !parts_are_signaled(link))
         return false;
   }
   collapse(fence);
   return true;
}

/* ---- timelines -------------------------------------------------------------------------------------------------- */

int
fence_find_point(struct fence *fence, uint64_t point, struct fence **found)
{
   *found = NULL;
   if (!point) {
      *found = fence_ref(fence);
      return 0;
   }
   if (fence->point < point)
      return -EINVAL;

   struct fence *link = fence;
   while (link->prev && link->prev_point >= point)
      link = link->prev;
   /* The link that holds the point may be gone, if it has signalled. */
   if (link->prev_point < point)
      *found = fence_ref(link);
   return 0;
}

uint64_t
fence_last_point(struct fence *fence, bool submitted)
{
   if (submitted)
      return fence->point;
   for (struct fence *link = fence; link; link = link->prev) {
      if (fence_is_signaled(link))
         return link->point;
      if (!link->prev)
         return link->prev_point;
   }
   return 0;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

void
kmd_notify(struct kmd *kmd)
{
   do
      kmd_run_ready(kmd); /* first: it may cancel jobs, which signals their fences */
   while (shared_syncobjs_publish(kmd));
   eventfd_waits_check(kmd);
   shared_files_announce(kmd);
   pthread_cond_broadcast(&kmd->changed);
}

struct deadline
deadline_at(struct kmd *kmd, int64_t absolute_ns)
{
   return (struct deadline){absolute_ns < 0 ? INT64_MAX : absolute_ns, vgpu_held_ns(kmd->gpu)};
}

bool
kmd_wait(struct kmd *kmd, const struct deadline *deadline)
{
   if (deadline->end == INT64_MAX) {
      pthread_cond_wait(&kmd->changed, &kmd->lock);
      return true;
   }

   uint64_t now = now_ns();
   uint64_t held = vgpu_held_ns(kmd->gpu) - deadline->held_at_start;
   uint64_t end;
   if (__builtin_add_overflow((uint64_t)deadline->end, held, &end))
      end = INT64_MAX;
   if (now >= end)
      return false;

   /* While time is held the end moves on with it: look again now and then. */
   const uint64_t glance = 20000000;
   uint64_t wake = end;
   if (vgpu_time_held(kmd->gpu) && wake < now + glance)
      wake = now + glance;
   struct timespec until = {wake / 1000000000, wake % 1000000000};
   pthread_cond_timedwait(&kmd->changed, &kmd->lock, &until);
   return true;
}
