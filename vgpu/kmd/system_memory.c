/* SPDX-License-Identifier: MIT */
/* The host's memory as the card addresses it: what page table entries with S say. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kmd/kmd.h"

/* How many bytes from `address` on lie in memory that the card has been given; 0: none. */
static uint64_t
extent(struct kmd *kmd, uint64_t address, bool user_pages)
{
   struct vgpu *gpu = kmd->gpu;
   uint64_t gtt = (uint64_t)(uintptr_t)gpu->memory + gpu->vram_size;
   if (address >= gtt && address - gtt < gpu->gtt_size)
      return gtt + gpu->gtt_size - address;

   for (uint32_t i = 0; i < kmd->mapping_count; i++) {
      const struct bo *bo = kmd->mappings[i].bo;
      bool is_host = bo && (bo->kind == BO_FOREIGN || (bo->kind == BO_USERPTR && user_pages));
      if (is_host && address >= bo->offset && address - bo->offset < bo->size)
         return bo->offset + bo->size - address;
   }
   return 0;
}

/* What the process has unmapped behind our back must not fault here: the kernel copies. */
static bool
copy(uint64_t address, void *data, size_t size, bool write)
{
   struct iovec ours = {data, size}, theirs = {(void *)(uintptr_t)address, size};
   ssize_t n = write ? process_vm_writev(getpid(), &ours, 1, &theirs, 1, 0)
                     : process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0);
   if (n >= 0 || errno == EFAULT)
      return n == (ssize_t)size;
   /* A sandbox may refuse the call. */
   memcpy(write ? theirs.iov_base : data, write ? data : theirs.iov_base, size);
   return true;
}

int
kmd_system_copy(struct kmd *kmd, uint64_t address, void *data, size_t size, bool write, bool user_pages)
{
   int r = 0;
   uint8_t *at = data;
   kmd_lock(kmd);
   while (size && !r) {
      uint64_t part = extent(kmd, address, user_pages);
      if (part > size)
         part = size;
      if (!part)
         r = -EPERM;
      else if (!copy(address, at, part, write))
         r = -EFAULT;
      address += part;
      at += part;
      size -= part;
   }
   kmd_unlock(kmd);
   return r;
}
