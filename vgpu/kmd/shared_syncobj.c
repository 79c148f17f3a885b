/* SPDX-License-Identifier: MIT */
/*
 * Syncobjs that other processes have, too. Such a syncobj is a memfd with a log in it (shared_log.h). The fences that
 * this process puts into it stay its own until they signal; then that is published in the log. Who waits, here or
 * elsewhere, waits for an entry of the log.
 *
 * A write to the file is the bell: the other processes watch it (watch.c). And a lock on a byte of the file says that a
 * process is still there to signal what it has promised: the kernel takes it away with the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmd/shared.h"
#include "kmd/shared_log.h"

#define NAME "hdb-vgpu-syncobj"
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define MEMBER_BYTE(member) ((off_t)1 << 32 | (member)) /* beyond the file's end */

/* A fence of this process that has not been seen to signal. */
struct publication {
   uint64_t serial;
   struct fence *fence;
   struct publication *next;
};

struct shared_syncobj {
   struct kmd *kmd;
   struct syncobj *syncobj; /* whose it is; each publication holds a reference to it */
   dev_t device;
   ino_t inode;
   int file;   /* what is given out */
   int member; /* the same file, opened again: has the lock */
   uint32_t number;
   int watch; /* 0: it is not watched */
   struct shared_log *log;
   struct publication *publications; /* newest first */
   bool changed;                     /* the bell is to be rung */
   struct shared_syncobj *next;
};

/* ---- life -------------------------------------------------------------------------------------------------------- */

static int
open_again(int fd)
{
   char path[32];
   snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
   int again = open(path, O_RDWR | O_CLOEXEC);
   return again < 0 ? -errno : again;
}

static void
finish(struct shared_syncobj *shared)
{
   if (shared->log)
      munmap(shared->log, sizeof(*shared->log));
   if (shared->member >= 0)
      close(shared->member);
   if (shared->file >= 0)
      close(shared->file);
   free(shared);
}

/* Takes the descriptor, also when it fails. */
static int
create(struct kmd *kmd, struct syncobj *syncobj, int fd, bool is_new)
{
   struct stat status;
   struct shared_syncobj *shared = calloc(1, sizeof(*shared));
   if (!shared) {
      close(fd);
      return -ENOMEM;
   }
   *shared = (struct shared_syncobj){.kmd = kmd, .syncobj = syncobj, .file = fd, .member = open_again(fd)};
   int r = shared->member < 0 ? shared->member : fstat(fd, &status) ? -errno : 0;
   if (!r) {
      void *log = mmap(NULL, sizeof(*shared->log), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (log == MAP_FAILED)
         r = -errno;
      else
         shared->log = log;
   }
   if (!r) {
      madvise(shared->log, sizeof(*shared->log), MADV_DONTFORK);
      if (is_new)
         shared_log_init(shared->log);
      shared->number = shared_log_join(shared->log);
      struct flock lock = {.l_type = F_WRLCK, .l_start = MEMBER_BYTE(shared->number), .l_len = 1};
      r = fcntl(shared->member, F_OFD_SETLK, &lock) ? -errno : 0;
   }
   if (!r) {
      shared->watch = watch_file(kmd, shared->member);
      r = shared->watch < 0 ? shared->watch : 0;
   }
   if (r) {
      finish(shared);
      return r;
   }
   shared->device = status.st_dev;
   shared->inode = status.st_ino;
   shared->next = kmd->shared_syncobjs;
   kmd->shared_syncobjs = shared;
   syncobj->shared = shared;
   return 0;
}

void
shared_syncobj_destroy(struct shared_syncobj *shared)
{
   struct shared_syncobj **link = &shared->kmd->shared_syncobjs;
   while (*link != shared)
      link = &(*link)->next;
   *link = shared->next;
   unwatch_file(shared->kmd, shared->watch);
   finish(shared);
}

/* What the process leaves behind is signalled in its name. */
void
shared_syncobjs_finish(struct kmd *kmd)
{
   while (kmd->shared_syncobjs) {
      struct shared_syncobj *shared = kmd->shared_syncobjs;
      struct syncobj *syncobj = syncobj_ref(shared->syncobj);
      while (shared->publications) {
         struct publication *publication = shared->publications;
         shared->publications = publication->next;
         fence_signal(publication->fence, -ECANCELED);
         shared_log_complete(shared->log, publication->serial, publication->fence->error);
         fence_unref(publication->fence);
         syncobj_unref(syncobj);
         free(publication);
      }
      (void)!pwrite(shared->member, "", 1, offsetof(struct shared_log, bell));
      syncobj->shared = NULL;
      shared_syncobj_destroy(shared);
      syncobj_unref(syncobj);
   }
}

/* ---- what it is for ---------------------------------------------------------------------------------------------- */

int
shared_syncobj_put(struct shared_syncobj *shared, struct fence *fence, bool replace, uint64_t point)
{
   struct publication *publication = malloc(sizeof(*publication));
   uint64_t serial = publication ? shared_log_append(shared->log, shared->number, replace, point) : 0;
   if (!serial) {
      vgpu_log(shared->kmd->gpu, "a syncobj that is shared with other processes has no room for a further fence");
      free(publication);
      return -ENOMEM;
   }
   *publication = (struct publication){serial, fence_ref(fence), shared->publications};
   shared->publications = publication;
   syncobj_ref(shared->syncobj);
   shared->changed = true;
   return 0;
}

void
shared_syncobj_reset(struct shared_syncobj *shared)
{
   shared_log_reset(shared->log);
}

int
shared_syncobj_find(struct shared_syncobj *shared, uint64_t point, struct fence **fence)
{
   uint64_t serial;
   *fence = NULL;
   int r = shared_log_find(shared->log, point, &serial);
   if (r || !serial)
      return r;
   *fence = fence_create_entry(shared->syncobj, serial);
   return *fence ? 0 : -ENOMEM;
}

bool
shared_syncobj_is_done(struct shared_syncobj *shared, uint64_t serial, int *error)
{
   return shared_log_is_done(shared->log, serial, error);
}

uint64_t
shared_syncobj_last_point(struct shared_syncobj *shared, bool submitted)
{
   return shared_log_last_point(shared->log, submitted);
}

/* Whether one has signalled. */
static bool
publish(struct shared_syncobj *shared)
{
   bool any = false;
   for (struct publication **link = &shared->publications; *link;) {
      struct publication *publication = *link;
      if (!fence_is_signaled(publication->fence)) {
         link = &publication->next;
         continue;
      }
      *link = publication->next;
      shared_log_complete(shared->log, publication->serial, publication->fence->error);
      fence_unref(publication->fence);
      free(publication);
      syncobj_unref(shared->syncobj); /* not the last: the caller has one */
      any = true;
   }
   return any;
}

bool
shared_syncobjs_publish(struct kmd *kmd)
{
   bool any = false;
   for (struct shared_syncobj *shared = kmd->shared_syncobjs, *next; shared; shared = next) {
      struct syncobj *syncobj = syncobj_ref(shared->syncobj);
      bool signaled = publish(shared);
      if (signaled || shared->changed) {
         shared->changed = false;
         if (pwrite(shared->member, "", 1, offsetof(struct shared_log, bell)) != 1)
            vgpu_log(kmd->gpu, "a shared syncobj: other processes cannot be told of a signal: %m");
      }
      any |= signaled;
      next = shared->next;
      syncobj_unref(syncobj);
   }
   return any;
}

/* ---- those that are gone ----------------------------------------------------------------------------------------- */

static bool
is_gone(const struct shared_syncobj *shared, uint32_t member)
{
   struct flock lock = {.l_type = F_WRLCK, .l_start = MEMBER_BYTE(member), .l_len = 1};
   return !fcntl(shared->member, F_OFD_GETLK, &lock) && lock.l_type == F_UNLCK;
}

bool
shared_syncobjs_changed(struct kmd *kmd)
{
   bool changed = false;
   for (struct shared_syncobj *shared = kmd->shared_syncobjs; shared; shared = shared->next)
      changed |= shared->changed;
   return changed;
}

bool
shared_syncobjs_depend_on_others(struct kmd *kmd)
{
   bool depend = false;
   for (struct shared_syncobj *shared = kmd->shared_syncobjs; shared; shared = shared->next) {
      uint64_t serial = 0;
      uint32_t member;
      while ((member = shared_log_next_pending(shared->log, &serial))) {
         if (member == shared->number)
            continue;
         if (is_gone(shared, member))
            shared->changed |= shared_log_bury(shared->log, member, -ECANCELED);
         else
            depend = true;
      }
   }
   return depend;
}

/* ---- out and in -------------------------------------------------------------------------------------------------- */

/* The point that was reached before the first fence of a timeline is one of it, too. */
static int
put_past(struct shared_syncobj *shared, uint64_t point)
{
   struct fence *past = fence_create_signaled();
   int r = past ? shared_syncobj_put(shared, past, true, point) : -ENOMEM;
   fence_unref(past);
   return r;
}

/* The fence that it had, and those of a timeline before it, the oldest first. */
static int
put_fences(struct shared_syncobj *shared, struct fence *last)
{
   uint32_t count = 0;
   for (const struct fence *fence = last; fence; fence = fence->prev)
      count++;
   struct fence **fences = calloc(count, sizeof(struct fence *));
   if (!fences)
      return -ENOMEM;
   uint32_t i = count;
   for (struct fence *fence = last; fence; fence = fence->prev)
      fences[--i] = fence;
   const uint64_t past = fences[0]->prev_point;
   int r = past ? put_past(shared, past) : 0;
   for (i = 0; i < count && !r; i++)
      r = shared_syncobj_put(shared, fences[i], i == 0 && !past, fences[i]->point);
   free(fences);
   return r;
}

static int
share(struct kmd *kmd, struct syncobj *syncobj)
{
   int fd = memfd_create(NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
   if (fd < 0)
      return -errno;
   if (ftruncate(fd, sizeof(struct shared_log)) || fcntl(fd, F_ADD_SEALS, SEALS)) {
      int r = -errno;
      close(fd);
      return r;
   }
   int r = create(kmd, syncobj, fd, true);
   if (r)
      return r;
   struct fence *fence = syncobj->fence;
   syncobj->fence = NULL;
   if (fence) {
      r = put_fences(syncobj->shared, fence);
      fence_unref(fence);
   }
   kmd_notify(kmd);
   return r;
}

int
shared_syncobj_export(struct kmd *kmd, struct syncobj *syncobj)
{
   int r = syncobj->shared ? 0 : share(kmd, syncobj);
   if (r)
      return r;
   int fd = fcntl(syncobj->shared->file, F_DUPFD_CLOEXEC, 3);
   return fd < 0 ? -errno : fd;
}

static bool
is_shared_syncobj(int fd, struct stat *status)
{
   static const char expected[] = "/memfd:" NAME;
   char path[32], link[64];
   snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
   ssize_t length = readlink(path, link, sizeof(link));
   const int seals = fcntl(fd, F_GET_SEALS);
   return length >= (ssize_t)strlen(expected) && !memcmp(link, expected, strlen(expected)) && seals >= 0 &&
          (seals & SEALS) == SEALS && !fstat(fd, status) && status->st_size == sizeof(struct shared_log);
}

int
shared_syncobj_import(struct kmd *kmd, int fd, struct syncobj **syncobj)
{
   struct stat status;
   if (!is_shared_syncobj(fd, &status))
      return -EINVAL;
   for (struct shared_syncobj *shared = kmd->shared_syncobjs; shared; shared = shared->next) {
      if (shared->device == status.st_dev && shared->inode == status.st_ino) {
         *syncobj = syncobj_ref(shared->syncobj);
         return 0;
      }
   }
   int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
   if (own < 0)
      return -errno;
   *syncobj = syncobj_create(NULL);
   if (!*syncobj) {
      close(own);
      return -ENOMEM;
   }
   int r = create(kmd, *syncobj, own, false);
   if (r)
      syncobj_unref(*syncobj);
   return r;
}
