/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmd/kmd.h"

static void
drop(struct kmd *kmd, struct shared_file *file)
{
   switch (file->kind) {
   case SHARED_FENCE:
      fence_unref(file->fence);
      break;
   case SHARED_SYNCOBJ:
      syncobj_unref(file->syncobj);
      break;
   case SHARED_BO:
      bo_unref(kmd, file->bo);
      break;
   }
   close(file->own_fd);
   free(file);
}

/* Whether the process has a descriptor of the inode besides `own_fd`. */
static bool
is_open(const struct shared_file *file)
{
   DIR *directory = opendir("/proc/self/fd");
   if (!directory)
      return true;
   bool found = false;
   for (struct dirent *entry; !found && (entry = readdir(directory));) {
      struct stat status;
      int fd = atoi(entry->d_name);
      found = fd > 0 && fd != file->own_fd && !fstat(fd, &status) && status.st_dev == file->device &&
              status.st_ino == file->inode;
   }
   closedir(directory);
   return found;
}

static bool
is_abandoned(const struct shared_file *file)
{
   if (file->kind == SHARED_BO)
      return !is_open(file);
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
      if (file->kind == SHARED_FENCE && !file->announced && fence_is_signaled(file->fence)) {
         file->announced = true;
         /* Nobody may be listening any more; the sweep finds that out. */
         (void)!send(file->own_fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
      }
   }
}

static int
open_pair(int fds[2])
{
   return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) ? -errno : 0;
}

/* Mapping it for writing fails, rather than giving memory that is not the buffer's. */
static int
open_token(uint64_t size, int fds[2])
{
   fds[0] = memfd_create("hdb-vgpu-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
   if (fds[0] < 0)
      return -errno;
   if (ftruncate(fds[0], size) ||
       fcntl(fds[0], F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) ||
       (fds[1] = fcntl(fds[0], F_DUPFD_CLOEXEC, 3)) < 0) {
      int r = -errno;
      close(fds[0]);
      return r;
   }
   return 0;
}

int
shared_file_create(struct kmd *kmd, enum shared_kind kind, void *object)
{
   shared_files_sweep(kmd);

   struct shared_file *file = calloc(1, sizeof(*file));
   if (!file)
      return -ENOMEM;
   int fds[2];
   int r = kind == SHARED_BO ? open_token(((struct bo *)object)->size, fds) : open_pair(fds);
   if (r) {
      free(file);
      return r;
   }

   struct stat status;
   fstat(fds[0], &status);
   file->device = status.st_dev;
   file->inode = status.st_ino;
   file->kind = kind;
   file->own_fd = fds[1];
   switch (kind) {
   case SHARED_FENCE:
      file->fence = fence_ref(object);
      break;
   case SHARED_SYNCOBJ:
      file->syncobj = syncobj_ref(object);
      break;
   case SHARED_BO:
      file->bo = bo_ref(object);
      file->bo->shared = true;
      break;
   }
   file->next = kmd->shared_files;
   kmd->shared_files = file;
   shared_files_announce(kmd);
   return fds[0];
}

static struct shared_file *
find(struct kmd *kmd, dev_t device, ino_t inode)
{
   struct shared_file *file = kmd->shared_files;
   while (file && (file->device != device || file->inode != inode))
      file = file->next;
   return file;
}

void *
shared_file_object(struct kmd *kmd, int fd, enum shared_kind kind)
{
   struct stat status;
   if (fstat(fd, &status))
      return NULL;
   struct shared_file *file = find(kmd, status.st_dev, status.st_ino);
   if (!file || file->kind != kind)
      return NULL;
   switch (kind) {
   case SHARED_FENCE:
      return file->fence;
   case SHARED_SYNCOBJ:
      return file->syncobj;
   case SHARED_BO:
      return file->bo;
   }
   return NULL;
}

bool
kmd_owns_file(struct vgpu *gpu, dev_t device, ino_t inode)
{
   struct kmd *kmd = gpu->kmd;
   kmd_lock(kmd);
   bool owned = find(kmd, device, inode);
   kmd_unlock(kmd);
   return owned;
}
