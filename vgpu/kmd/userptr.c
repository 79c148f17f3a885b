/* SPDX-License-Identifier: MIT */
/*
 * Host memory that the process gives the card. The kernel takes its pages when the buffer is made, if that is asked
 * for, and again for each submission whose list has the buffer: what is no longer there by then makes the submission
 * fail, and nothing runs (amdgpu_gem_userptr_ioctl, amdgpu_cs_parser_bos, hmm_range_fault in Linux 6).
 */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kmd/kmd.h"

#define PAGE 4096ull

struct host_map {
   uint64_t start, end;
   bool readable, writable, file;
};

static bool
parse_line(const char *line, struct host_map *map)
{
   char access[5];
   uint64_t inode;
   if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*s %" SCNu64, &map->start, &map->end, access, &inode) != 4)
      return false;
   map->readable = access[0] == 'r';
   map->writable = access[1] == 'w';
   map->file = inode != 0; /* shared anonymous memory is a file too, as for the kernel */
   return true;
}

static bool
append(struct host_maps *maps, const struct host_map *map)
{
   if (maps->count == maps->capacity) {
      uint32_t capacity = maps->capacity ? 2 * maps->capacity : 128;
      struct host_map *larger = realloc(maps->maps, capacity * sizeof(*larger));
      if (!larger)
         return false;
      maps->maps = larger;
      maps->capacity = capacity;
   }
   maps->maps[maps->count++] = *map;
   return true;
}

static int
read_maps(struct host_maps *maps)
{
   FILE *file = fopen("/proc/self/maps", "re");
   if (!file)
      return -ENOMEM; /* most likely out of descriptors: the driver tries again */
   char *line = NULL;
   size_t size = 0;
   struct host_map map;
   bool good = true;
   while (good && getline(&line, &size, file) > 0)
      good = !parse_line(line, &map) || append(maps, &map);
   free(line);
   fclose(file);
   return good && maps->count ? 0 : -ENOMEM;
}

int
host_maps_check(struct host_maps *maps, uint64_t address, uint64_t size, uint32_t flags)
{
   int r = maps->count ? 0 : read_maps(maps);
   if (r)
      return r;
   const struct host_map *map = maps->maps, *end = map + maps->count;
   while (map < end && map->end <= address)
      map++;
   if (map < end && map->start <= address && map->file && flags & AMDGPU_GEM_USERPTR_ANONONLY)
      return -EPERM; /* that is asked of the first mapping only */
   for (uint64_t at = address; at < address + size; at = map++->end) {
      if (map == end || map->start > at || !map->readable)
         return -EFAULT;
      if (!map->writable && !(flags & AMDGPU_GEM_USERPTR_READONLY))
         return -EPERM;
   }
   return 0;
}

void
host_maps_finish(struct host_maps *maps)
{
   free(maps->maps);
}

int
kmd_gem_userptr(struct kmd *kmd, void *data)
{
   struct drm_amdgpu_gem_userptr *args = data;
   const uint32_t known = AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_ANONONLY | AMDGPU_GEM_USERPTR_VALIDATE |
                          AMDGPU_GEM_USERPTR_REGISTER;

   if (args->addr % PAGE || args->size % PAGE || !args->size || args->flags & ~known)
      return -EINVAL;
   if (!(args->flags & (AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_REGISTER)))
      return -EACCES;
   if (args->addr >> 47 || args->size > (1ull << 47) - args->addr)
      return -EFAULT;
   if (args->flags & AMDGPU_GEM_USERPTR_VALIDATE) {
      struct host_maps maps = {0};
      int r = host_maps_check(&maps, args->addr, args->size, args->flags);
      host_maps_finish(&maps);
      if (r)
         return r;
   }

   struct bo *bo = calloc(1, sizeof(*bo));
   if (!bo)
      return -ENOMEM;
   bo->refs = 1;
   bo->file = -1;
   bo->kind = BO_USERPTR;
   bo->offset = args->addr;
   bo->size = args->size;
   bo->domains = AMDGPU_GEM_DOMAIN_CPU;
   bo->user_flags = args->flags;
   return bo_publish(kmd, bo, &args->handle);
}
