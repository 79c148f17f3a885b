/* SPDX-License-Identifier: MIT */
/*
 * Linux 6.18 and newer (uapi/drm/amdgpu_drm.h), made for checkpoints: DRM_AMDGPU_GEM_LIST_HANDLES names the buffers of
 * a file, AMDGPU_GEM_OP_GET_MAPPING_INFO says where one of them is mapped.
 *
 * Up to a fix of June 2026 the kernel crashed when asked about a buffer that had never been mapped. Only kernels with a
 * second-level trap handler are asked, which are newer, and only about buffers that can be mapped at all.
 */
#include "target/mappings.h"

#include <errno.h>
#include <stdlib.h>

#include <amdgpu_drm.h>
#include <drm.h>

#include "target/kernel.h"
#include "target/target.h"

struct list_arguments {
   uint64_t entries;
   uint32_t count, padding;
};
struct handle_entry {
   uint32_t handle, flags;
   uint64_t size, domains, alloc_flags, alignment;
};
#define IOCTL_GEM_LIST_HANDLES DRM_IOWR(DRM_COMMAND_BASE + 0x19, struct list_arguments)

/* struct drm_amdgpu_gem_op with what that operation added */
struct op_arguments {
   uint32_t handle, op;
   uint64_t value;
   uint32_t count, padding;
};
struct mapping_entry {
   uint64_t address, size, offset, flags; /* 48 bits of the address; AMDGPU_VM_PAGE_* */
};
enum { GET_MAPPING_INFO = 2 };
#define IOCTL_GEM_OP DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_GEM_OP, struct op_arguments)

#define ADDRESS_BITS ((UINT64_C(1) << 48) - 1)
#define MEMORY_DOMAINS (AMDGPU_GEM_DOMAIN_CPU | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM)
#define GROWTH_LIMIT 8 /* attempts: another thread may be creating buffers, or mapping this one */

static int
list_mappings(int drm_fd, uint32_t handle, struct mapping_entry **entries, uint32_t *count)
{
   struct op_arguments arguments = {.handle = handle, .op = GET_MAPPING_INFO, .count = 4};
   uint32_t room = 0;
   int error = 0;
   for (int attempt = 0; attempt < GROWTH_LIMIT && !error && arguments.count > room; attempt++) {
      struct mapping_entry *larger = realloc(*entries, arguments.count * sizeof(*larger));
      if (!larger)
         return -ENOMEM;
      *entries = larger;
      room = arguments.count;
      arguments.value = (uintptr_t)larger;
      error = hdb_kernel_ioctl(drm_fd, IOCTL_GEM_OP, &arguments);
   }
   *count = arguments.count < room ? arguments.count : room;
   return error;
}

static uint32_t
access_of(const struct mapping_entry *entry)
{
   return (entry->flags & AMDGPU_VM_PAGE_READABLE ? HDB_ACCESS_READ : 0) |
          (entry->flags & AMDGPU_VM_PAGE_WRITEABLE ? HDB_ACCESS_WRITE : 0);
}

/* -EFAULT: this buffer is not mapped there. */
static int
look_at(int drm_fd, uint32_t handle, uint64_t va, uint32_t *access)
{
   struct mapping_entry *entries = NULL;
   uint32_t count = 0;
   int result = list_mappings(drm_fd, handle, &entries, &count);
   result = result ? result : -EFAULT;
   for (uint32_t i = 0; i < count && result == -EFAULT; i++) {
      if (va - (entries[i].address & ADDRESS_BITS) < entries[i].size) {
         *access = access_of(&entries[i]);
         result = 0;
      }
   }
   free(entries);
   return result == -ENOENT ? -EFAULT : result;
}

static int
list_handles(int drm_fd, struct handle_entry **entries, uint32_t *count)
{
   struct list_arguments arguments = {.count = 256};
   uint32_t room = 0;
   int error = 0;
   for (int attempt = 0; attempt < GROWTH_LIMIT && !error && arguments.count > room; attempt++) {
      uint32_t wanted = arguments.count + arguments.count / 4;
      struct handle_entry *larger = realloc(*entries, wanted * sizeof(*larger));
      if (!larger)
         return -ENOMEM;
      *entries = larger;
      arguments = (struct list_arguments){.entries = (uintptr_t)larger, .count = room = wanted};
      error = hdb_kernel_ioctl(drm_fd, IOCTL_GEM_LIST_HANDLES, &arguments);
   }
   if (arguments.count > room)
      return error ? error : -EAGAIN;
   *count = arguments.count;
   return error;
}

static int
search(struct hdb_mappings *mappings, int drm_fd, uint64_t va, uint32_t *access)
{
   struct handle_entry *entries = NULL;
   uint32_t count = 0;
   int result = list_handles(drm_fd, &entries, &count) ? -ENOTSUP : -EFAULT;
   for (uint32_t i = 0; i < count && result == -EFAULT; i++) {
      if (!(entries[i].domains & MEMORY_DOMAINS))
         continue;
      result = look_at(drm_fd, entries[i].handle, va, access);
      if (!result)
         mappings->handle = entries[i].handle;
      else if (result == -EINVAL)
         result = -ENOTSUP;
   }
   free(entries);
   return result;
}

int
hdb_mappings_get_access(struct hdb_mappings *mappings, int drm_fd, uint64_t va, uint32_t *access)
{
   va &= ADDRESS_BITS & ~4095ull;
   *access = 0;
   if (mappings->handle && !look_at(drm_fd, mappings->handle, va, access))
      return 0;
   mappings->handle = 0;
   return search(mappings, drm_fd, va, access);
}
