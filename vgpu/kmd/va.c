/* SPDX-License-Identifier: MIT */
/* The address space: what is mapped where. User space chooses the addresses. */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kmd/kmd.h"

#define PAGE 4096ull
#define VA_MASK ((1ull << 48) - 1)
#define VA_RESERVED_BOTTOM (2ull << 20) /* INFO's virtual_address_offset */
#define VA_RESERVED_TOP (KMD_RESERVED_TRAP_START & VA_MASK)

static int
reserve(struct kmd *kmd, uint32_t more)
{
   if (kmd->mapping_count + more <= kmd->mapping_capacity)
      return 0;
   uint32_t capacity = kmd->mapping_capacity ? kmd->mapping_capacity * 2 : 256;
   struct va_mapping *mappings = realloc(kmd->mappings, capacity * sizeof(*mappings));
   if (!mappings)
      return -ENOMEM;
   kmd->mappings = mappings;
   kmd->mapping_capacity = capacity;
   return 0;
}

/* The first mapping that ends after `va`. */
static uint32_t
find(const struct kmd *kmd, uint64_t va)
{
   uint32_t low = 0, high = kmd->mapping_count;
   while (low < high) {
      uint32_t middle = (low + high) / 2;
      if (kmd->mappings[middle].start + kmd->mappings[middle].size <= va)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

static bool
overlaps(const struct kmd *kmd, uint32_t index, uint64_t start, uint64_t size)
{
   return index < kmd->mapping_count && kmd->mappings[index].start < start + size;
}

static void
insert(struct kmd *kmd, uint32_t index, const struct va_mapping *mapping)
{
   memmove(&kmd->mappings[index + 1], &kmd->mappings[index], (kmd->mapping_count - index) * sizeof(kmd->mappings[0]));
   kmd->mappings[index] = *mapping;
   kmd->mapping_count++;
   if (mapping->bo) {
      bo_ref(mapping->bo);
      mapping->bo->mapping_count++;
   }
}

static void
erase(struct kmd *kmd, uint32_t index)
{
   struct bo *bo = kmd->mappings[index].bo;
   kmd->mapping_count--;
   memmove(&kmd->mappings[index], &kmd->mappings[index + 1], (kmd->mapping_count - index) * sizeof(kmd->mappings[0]));
   if (bo) {
      bo->mapping_count--;
      bo_unref(kmd, bo);
   }
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

static int
map(struct kmd *kmd, const struct va_mapping *mapping)
{
   uint32_t index = find(kmd, mapping->start);
   if (overlaps(kmd, index, mapping->start, mapping->size))
      return -EINVAL;

   int r = reserve(kmd, 1);
   if (!r)
      r = va_table_map(kmd, mapping);
   if (!r)
      insert(kmd, index, mapping);
   return r;
}

/* Takes [start, start + size) out of whatever is mapped there; parts outside stay. */
static int
clear(struct kmd *kmd, uint64_t start, uint64_t size)
{
   int r = reserve(kmd, 1);
   if (r)
      return r;

   uint64_t end = start + size;
   uint32_t index = find(kmd, start);
   while (overlaps(kmd, index, start, size)) {
      struct va_mapping *mapping = &kmd->mappings[index];
      uint64_t mapping_end = mapping->start + mapping->size;
      struct va_mapping part = *mapping;
      part.start = start > mapping->start ? start : mapping->start;
      part.size = (end < mapping_end ? end : mapping_end) - part.start;
      r = va_table_unmap(kmd, &part);
      if (r)
         return r;
      struct va_mapping tail = *mapping;
      tail.start = end;
      tail.size = mapping_end - end;
      tail.offset += end - mapping->start;

      if (mapping->start < start) {
         mapping->size = start - mapping->start;
         index++;
         if (mapping_end > end) {
            insert(kmd, index, &tail);
            break;
         }
      } else if (mapping_end > end) {
         *mapping = tail;
         break;
      } else {
         erase(kmd, index);
      }
   }
   return 0;
}

static int
unmap(struct kmd *kmd, const struct bo *bo, uint64_t start)
{
   uint32_t index = find(kmd, start);
   if (index >= kmd->mapping_count || kmd->mappings[index].start != start || kmd->mappings[index].bo != bo)
      return -ENOENT;
   int r = va_table_unmap(kmd, &kmd->mappings[index]);
   if (!r)
      erase(kmd, index);
   return r;
}

static void
remove_mapping(struct kmd *kmd, uint32_t index)
{
   const struct va_mapping *mapping = &kmd->mappings[index];
   if (va_table_unmap(kmd, mapping))
      vm_unmap(&kmd->vm, mapping->start, mapping->size);
   erase(kmd, index);
}

void
va_remove_bo(struct kmd *kmd, struct bo *bo)
{
   for (uint32_t i = kmd->mapping_count; bo->mapping_count && i-- > 0;) {
      if (kmd->mappings[i].bo == bo)
         remove_mapping(kmd, i);
   }
}

void
va_remove_all(struct kmd *kmd)
{
   while (kmd->mapping_count)
      remove_mapping(kmd, kmd->mapping_count - 1);
}

static bool
is_valid(const struct drm_amdgpu_gem_va *args)
{
   uint64_t start = args->va_address & VA_MASK;
   bool canonical = (uint64_t)((int64_t)(args->va_address << 16) >> 16) == args->va_address;
   return canonical && start >= VA_RESERVED_BOTTOM && start % PAGE == 0 && args->offset_in_bo % PAGE == 0 &&
          args->map_size % PAGE == 0 && args->map_size && start < VA_RESERVED_TOP &&
          args->map_size <= VA_RESERVED_TOP - start;
}

int
kmd_gem_va(struct kmd *kmd, void *data)
{
   struct drm_amdgpu_gem_va *args = data;
   const uint32_t known = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE |
                          AMDGPU_VM_PAGE_EXECUTABLE | AMDGPU_VM_PAGE_PRT | AMDGPU_VM_MTYPE_MASK |
                          AMDGPU_VM_PAGE_NOALLOC;
   if (!is_valid(args) || args->flags & ~known)
      return -EINVAL;

   int r = 0;
   struct bo *bo = NULL;
   kmd_lock(kmd);

   bool needs_bo = args->operation != AMDGPU_VA_OP_CLEAR && !(args->flags & AMDGPU_VM_PAGE_PRT);
   if (needs_bo) {
      bo = handle_table_get(&kmd->bos, args->handle);
      if (!bo)
         r = -ENOENT;
      else if (args->operation != AMDGPU_VA_OP_UNMAP &&
               (args->offset_in_bo > bo->size || args->map_size > bo->size - args->offset_in_bo))
         r = -EINVAL;
   }

   struct va_mapping mapping = {
      .start = args->va_address & VA_MASK,
      .size = args->map_size,
      .bo = bo,
      .offset = bo ? args->offset_in_bo : 0,
      .flags = args->flags,
   };
   if (!r) {
      switch (args->operation) {
      case AMDGPU_VA_OP_MAP:
         r = map(kmd, &mapping);
         break;
      case AMDGPU_VA_OP_UNMAP:
         r = unmap(kmd, bo, mapping.start);
         break;
      case AMDGPU_VA_OP_CLEAR:
         r = clear(kmd, mapping.start, mapping.size);
         break;
      case AMDGPU_VA_OP_REPLACE:
         r = clear(kmd, mapping.start, mapping.size);
         if (!r)
            r = map(kmd, &mapping);
         break;
      default:
         r = -EINVAL;
      }
   }

   kmd_unlock(kmd);
   return r;
}
