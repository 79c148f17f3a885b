/* SPDX-License-Identifier: MIT */
/* Buffers as descriptors. */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <fcntl.h>

#include "kmd/shared.h"

int
kmd_prime_handle_to_fd(struct kmd *kmd, void *data)
{
   struct drm_prime_handle *args = data;
   if (args->flags & ~(DRM_CLOEXEC | DRM_RDWR))
      return -EINVAL;

   kmd_lock(kmd);
   struct bo *bo = handle_table_get(&kmd->bos, args->handle);
   int r = 0;
   if (!bo)
      r = -ENOENT;
   else if (bo->kind == BO_USERPTR || bo_is_on_chip(bo) || bo->flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID)
      r = -EPERM;
   else
      r = shared_file_create(kmd, SHARED_BO, bo);
   kmd_unlock(kmd);
   if (r < 0)
      return r;
   args->fd = r;
   return 0;
}

int
kmd_prime_fd_to_handle(struct kmd *kmd, void *data)
{
   struct drm_prime_handle *args = data;

   kmd_lock(kmd);
   struct bo *bo = shared_file_object(kmd, args->fd, SHARED_BO), *imported = NULL;
   int r = bo ? 0 : bo_import(kmd, args->fd, &imported);
   if (!r) {
      args->handle = bo_handle(kmd, bo ? bo : imported);
      r = args->handle ? 0 : -ENOMEM;
      bo_unref(kmd, imported);
   } else if (r == -EINVAL) {
      vgpu_log(kmd->gpu, "PRIME_FD_TO_HANDLE: descriptor %d is no buffer of a virtual GPU; others cannot be imported",
               args->fd);
   }
   kmd_unlock(kmd);
   return r;
}
