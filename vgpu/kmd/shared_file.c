/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "kmd/shared.h"

#define FENCE_NAME "hdb-vgpu-fence."

static void
drop(struct kmd *kmd, struct shared_file *file)
{
   switch (file->kind) {
   case SHARED_FENCE:
      fence_unref(file->fence);
      break;
   case SHARED_BO:
      bo_unref(kmd, file->bo);
      break;
   }
   if (file->own_fd >= 0)
      close(file->own_fd);
   free(file);
}

static bool
is_abandoned(const struct shared_file *file)
{
   if (file->kind == SHARED_BO)
      return !kmd_file_is_open(file->device, file->inode, file->bo->file);
   if (file->foreign)
      return file->fence->signaled; /* who asks again finds the byte */
   struct pollfd poller = {.fd = file->own_fd};
   return poll(&poller, 1, 0) > 0 && poller.revents & (POLLHUP | POLLERR);
}

void
shared_files_sweep(struct kmd *kmd)
{
   for (struct shared_file **link = &kmd->shared_files; *link;) {
      struct shared_file *file = *link;
      if (is_abandoned(file)) {
         *link = file->next;
         drop(kmd, file);
      } else {
         link = &file->next;
      }
   }
}

void
shared_files_finish(struct kmd *kmd)
{
   while (kmd->shared_files) {
      struct shared_file *file = kmd->shared_files;
      kmd->shared_files = file->next;
      drop(kmd, file);
   }
}

void
shared_files_announce(struct kmd *kmd)
{
   for (struct shared_file *file = kmd->shared_files; file; file = file->next) {
      if (file->kind == SHARED_FENCE && !file->foreign && !file->announced && fence_is_signaled(file->fence)) {
         file->announced = true;
         const uint8_t failed = file->fence->error != 0;
         /* Nobody may be listening any more; the sweep finds that out. */
         (void)!send(file->own_fd, &failed, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
      }
   }
}

/* ---- the files --------------------------------------------------------------------------------------------------- */

/* By its name, which no other has, other processes know it for what it is. Nobody can connect to it. */
static int
open_pair(int fds[2])
{
   if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
      return -errno;
   struct stat status = {0};
   fstat(fds[0], &status);
   struct sockaddr_un name = {.sun_family = AF_UNIX};
   int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, FENCE_NAME "%ju", (uintmax_t)status.st_ino);
   if (bind(fds[0], (struct sockaddr *)&name, offsetof(struct sockaddr_un, sun_path) + 1 + length)) {
      int r = -errno;
      close(fds[0]);
      close(fds[1]);
      return r;
   }
   return 0;
}

static bool
is_foreign_fence(int fd)
{
   struct sockaddr_un name = {0};
   socklen_t length = sizeof(name);
   return !getsockname(fd, (struct sockaddr *)&name, &length) && name.sun_family == AF_UNIX &&
          length > offsetof(struct sockaddr_un, sun_path) + 1 + strlen(FENCE_NAME) &&
          !memcmp(name.sun_path + 1, FENCE_NAME, strlen(FENCE_NAME));
}

static void
hear(struct shared_file *file)
{
   uint8_t failed = true;
   if (!file->fence->signaled && recv(file->own_fd, &failed, 1, MSG_PEEK | MSG_DONTWAIT) >= 0)
      fence_signal(file->fence, failed ? -ECANCELED : 0);
}

void
shared_files_hear(struct kmd *kmd)
{
   for (struct shared_file *file = kmd->shared_files; file; file = file->next) {
      if (file->foreign)
         hear(file);
   }
}

static struct shared_file *
find(struct kmd *kmd, dev_t device, ino_t inode)
{
   struct shared_file *file = kmd->shared_files;
   while (file && (file->device != device || file->inode != inode))
      file = file->next;
   return file;
}

/* The descriptor to give out, and the one to keep. */
static int
open_files(struct kmd *kmd, enum shared_kind kind, void *object, int fds[2])
{
   if (kind != SHARED_BO)
      return open_pair(fds);
   struct bo *bo = object;
   int r = bo_share(kmd, bo);
   if (r)
      return r;
   fds[0] = fcntl(bo->file, F_DUPFD_CLOEXEC, 3);
   fds[1] = -1;
   return fds[0] < 0 ? -errno : 0;
}

int
shared_file_create(struct kmd *kmd, enum shared_kind kind, void *object)
{
   shared_files_sweep(kmd);

   int fds[2];
   int r = open_files(kmd, kind, object, fds);
   if (r)
      return r;
   struct stat status;
   fstat(fds[0], &status);
   if (find(kmd, status.st_dev, status.st_ino))
      return fds[0]; /* a buffer that was given out before */

   struct shared_file *file = calloc(1, sizeof(*file));
   if (!file) {
      close(fds[0]);
      if (fds[1] >= 0)
         close(fds[1]);
      return -ENOMEM;
   }
   file->device = status.st_dev;
   file->inode = status.st_ino;
   file->kind = kind;
   file->own_fd = fds[1];
   switch (kind) {
   case SHARED_FENCE:
      file->fence = fence_ref(object);
      break;
   case SHARED_BO:
      file->bo = bo_ref(object);
      break;
   }
   file->next = kmd->shared_files;
   kmd->shared_files = file;
   shared_files_announce(kmd);
   return fds[0];
}

static struct shared_file *
adopt(struct kmd *kmd, int fd, const struct stat *status)
{
   if (!is_foreign_fence(fd) || watch_start(kmd))
      return NULL;
   struct shared_file *file = calloc(1, sizeof(*file));
   if (!file)
      return NULL;
   *file = (struct shared_file){
      .device = status->st_dev,
      .inode = status->st_ino,
      .kind = SHARED_FENCE,
      .foreign = true,
      .own_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3),
      .fence = fence_create(),
      .next = kmd->shared_files,
   };
   if (file->own_fd < 0 || !file->fence) {
      drop(kmd, file);
      return NULL;
   }
   hear(file);
   kmd->shared_files = file;
   watch_again(kmd);
   return file;
}

void *
shared_file_object(struct kmd *kmd, int fd, enum shared_kind kind)
{
   struct stat status;
   if (fstat(fd, &status))
      return NULL;
   struct shared_file *file = find(kmd, status.st_dev, status.st_ino);
   if (!file && kind == SHARED_FENCE)
      file = adopt(kmd, fd, &status);
   if (!file || file->kind != kind)
      return NULL;
   switch (kind) {
   case SHARED_FENCE:
      return file->fence;
   case SHARED_BO:
      return file->bo;
   }
   return NULL;
}

bool
kmd_owns_file(struct vgpu *gpu, int fd)
{
   struct kmd *kmd = gpu->kmd;
   struct stat status;
   if (fstat(fd, &status))
      return false;
   kmd_lock(kmd);
   bool owned = find(kmd, status.st_dev, status.st_ino);
   kmd_unlock(kmd);
   return owned || (S_ISSOCK(status.st_mode) && is_foreign_fence(fd));
}
