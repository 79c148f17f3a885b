/* SPDX-License-Identifier: MIT */
/*
 * What buffers a process has and where they are mapped, as kernels from 6.18 on tell it of its own file:
 * DRM_AMDGPU_GEM_LIST_HANDLES, and AMDGPU_GEM_OP_GET_MAPPING_INFO of DRM_AMDGPU_GEM_OP. This card has them along with a
 * second-level trap handler, which no older kernel has.
 */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <string.h>

#include "kmd/kmd.h"

/* struct drm_amdgpu_gem_list_handles_entry */
struct handle_entry {
   uint32_t handle, flags;
   uint64_t size, domains, alloc_flags, alignment;
};
enum { HANDLE_IS_IMPORT = 1 << 0 };

/* struct drm_amdgpu_gem_vm_entry */
struct mapping_entry {
   uint64_t address, size, offset, flags;
};

static struct handle_entry
describe(const struct bo *bo)
{
   return (struct handle_entry){
      .handle = bo->handle,
      .flags = bo->kind == BO_FOREIGN ? HANDLE_IS_IMPORT : 0,
      .size = bo->size,
      .domains = bo->domains,
      .alloc_flags = bo->flags,
      .alignment = bo->asked_alignment,
   };
}

/* With too little room only their number is told. */
int
kmd_gem_list_handles(struct kmd *kmd, void *data)
{
   struct kmd_list_arguments *args = data;
   if (!kmd->second_level || args->padding)
      return -EINVAL;
   kmd_lock(kmd);
   uint32_t room = args->count, count = 0;
   args->count = kmd->bos.count;
   for (uint32_t handle = 1; handle < kmd->bos.capacity && room >= kmd->bos.count; handle++) {
      const struct bo *bo = handle_table_get(&kmd->bos, handle);
      if (bo)
         ((struct handle_entry *)args->entries)[count++] = describe(bo);
   }
   kmd_unlock(kmd);
   return 0;
}

int
gem_list_mappings(struct kmd *kmd, const struct bo *bo, struct kmd_gem_op_arguments *args)
{
   if (!kmd->second_level || args->padding)
      return -EINVAL;
   uint32_t count = 0;
   for (uint32_t i = 0; i < kmd->mapping_count; i++) {
      const struct va_mapping *mapping = &kmd->mappings[i];
      if (mapping->bo != bo)
         continue;
      if (count < args->count)
         ((struct mapping_entry *)args->value)[count] =
            (struct mapping_entry){mapping->start, mapping->size, mapping->offset, mapping->flags};
      count++;
   }
   args->count = count;
   return count ? 0 : -ENOENT;
}
