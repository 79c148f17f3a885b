/* SPDX-License-Identifier: MIT */
/* The card's one DRM file, and its end: with its last descriptor goes all that user space had of the card. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmd/shared.h"

/* Jobs that are under way, or wait for these, run to their end. Those that wait for what nobody has promised will not
 * be promised anything any more. */
static void
release_context(struct kmd *kmd, struct context *context)
{
   for (uint32_t ring = 0; ring < KMD_RINGS; ring++) {
      for (const struct job *job = context->queue[ring].first; job; job = job->next)
         context->guilty |= !submission_is_promised(job->submission);
   }
   context_unref(kmd, context);
}

void
kmd_release_file(struct kmd *kmd)
{
   for (uint32_t i = 0; i < kmd->contexts.capacity; i++) {
      struct context *context = handle_table_remove(&kmd->contexts, i);
      if (context)
         release_context(kmd, context);
   }
   for (uint32_t i = 0; i < kmd->syncobjs.capacity; i++)
      syncobj_unref(handle_table_remove(&kmd->syncobjs, i));
   for (uint32_t i = 0; i < kmd->bos.capacity; i++) {
      struct bo *bo = handle_table_remove(&kmd->bos, i);
      if (bo) {
         bo->handle = 0;
         bo_unref(kmd, bo);
      }
   }
   second_level_release(kmd);
   va_remove_all(kmd);
   kmd_notify(kmd);
   eventfd_waits_release(kmd);
   shared_files_sweep(kmd);
}

bool
kmd_file_is_open(dev_t device, ino_t inode, int own)
{
   DIR *directory = opendir("/proc/self/fd");
   if (!directory)
      return true;
   bool found = false;
   for (struct dirent *entry; !found && (entry = readdir(directory));) {
      struct stat status;
      int fd = atoi(entry->d_name);
      found = entry->d_name[0] != '.' && fd != own && !fstat(fd, &status) && status.st_dev == device &&
              status.st_ino == inode;
   }
   closedir(directory);
   return found;
}

int
vgpu_close(struct vgpu *gpu, int fd)
{
   int r = close(fd);
   int error = errno;
   if (!vgpu_is_inert(gpu)) {
      kmd_lock(gpu->kmd);
      if (kmd_file_is_open(gpu->device, gpu->inode, gpu->fd))
         shared_files_sweep(gpu->kmd);
      else
         kmd_release_file(gpu->kmd);
      kmd_unlock(gpu->kmd);
   }
   errno = error;
   return r;
}
