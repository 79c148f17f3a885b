/* SPDX-License-Identifier: MIT */
/*
 * News from other processes, on a thread of its own that there is once something is shared with them: files of shared
 * syncobjs that were written to, and sync files that became readable.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "kmd/shared.h"

/* How often it is looked whether the processes that something is expected of are still there. */
#define GLANCE_MS 250

/* Where files cannot be watched (there are limits), they are looked at. */
#define POLL_MS 2

struct watch {
   struct kmd *kmd;
   pthread_t thread;
   int inotify; /* -1: not to be had */
   int wake;    /* an eventfd: there is something else to wait for, or `stop` */
   bool polls;  /* at least one file could not be watched */
   bool stop;
};

/* The lock is held, but not during the wait. False: no memory. */
static bool
wait_for_news(struct kmd *kmd)
{
   struct watch *watch = kmd->watch;
   uint32_t count = 2;
   for (const struct shared_file *file = kmd->shared_files; file; file = file->next)
      count += file->foreign;
   struct pollfd *pollers = calloc(count, sizeof(*pollers));
   if (!pollers)
      return false;
   pollers[0] = (struct pollfd){.fd = watch->wake, .events = POLLIN};
   pollers[1] = (struct pollfd){.fd = watch->inotify, .events = POLLIN};
   count = 2;
   for (const struct shared_file *file = kmd->shared_files; file; file = file->next) {
      if (file->foreign && !file->fence->signaled)
         pollers[count++] = (struct pollfd){.fd = file->own_fd, .events = POLLIN};
   }
   int timeout = shared_syncobjs_depend_on_others(kmd) ? GLANCE_MS : -1;
   if (watch->polls && kmd->shared_syncobjs)
      timeout = POLL_MS;
   if (shared_syncobjs_changed(kmd))
      timeout = 0; /* somebody was found to be gone */
   kmd_unlock(kmd);

   poll(pollers, count, timeout);
   char news[4096];
   if (pollers[0].revents)
      (void)!read(watch->wake, news, 8);
   if (pollers[1].revents)
      (void)!read(watch->inotify, news, sizeof(news));
   free(pollers);
   kmd_lock(kmd);
   return true;
}

static void *
watch_thread(void *argument)
{
   struct watch *watch = argument;
   struct kmd *kmd = watch->kmd;
   kmd_lock(kmd);
   while (!watch->stop && wait_for_news(kmd)) {
      shared_files_hear(kmd);
      kmd_notify(kmd);
   }
   kmd_unlock(kmd);
   return NULL;
}

int
watch_start(struct kmd *kmd)
{
   if (kmd->watch)
      return 0;
   struct watch *watch = calloc(1, sizeof(*watch));
   if (!watch)
      return -ENOMEM;
   watch->kmd = kmd;
   watch->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
   watch->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
   kmd->watch = watch;

   int r = watch->wake < 0 ? -errno : vgpu_thread_start(&watch->thread, "vgpu-watch", watch_thread, watch);
   if (!r)
      return 0;
   kmd->watch = NULL;
   if (watch->wake >= 0)
      close(watch->wake);
   if (watch->inotify >= 0)
      close(watch->inotify);
   free(watch);
   return r;
}

void
watch_again(struct kmd *kmd)
{
   if (kmd->watch) {
      const uint64_t one = 1;
      (void)!write(kmd->watch->wake, &one, sizeof(one));
   }
}

void
watch_stop(struct kmd *kmd)
{
   struct watch *watch = kmd->watch;
   if (!watch)
      return;
   kmd_lock(kmd);
   watch->stop = true;
   watch_again(kmd);
   kmd_unlock(kmd);
   pthread_join(watch->thread, NULL);
   close(watch->wake);
   if (watch->inotify >= 0)
      close(watch->inotify);
   free(watch);
   kmd->watch = NULL;
}

int
watch_file(struct kmd *kmd, int fd)
{
   int r = watch_start(kmd);
   if (r)
      return r;
   char path[32];
   snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
   int watched = kmd->watch->inotify < 0 ? -1 : inotify_add_watch(kmd->watch->inotify, path, IN_MODIFY);
   kmd->watch->polls |= watched < 0;
   watch_again(kmd);
   return watched < 0 ? 0 : watched;
}

void
unwatch_file(struct kmd *kmd, int watched)
{
   if (watched && kmd->watch)
      inotify_rm_watch(kmd->watch->inotify, watched);
}
