/* SPDX-License-Identifier: MIT */
/*
 * Buffers that other processes have, too. Such a buffer has a memfd of its own, which is what is passed around. In the
 * process that exports it this file takes the place of the card's in the mapping of the card's memory, so that its
 * address stays what it was, for page tables and all; in one that imports it, it is mapped somewhere, as a user
 * pointer is.
 *
 * What the kernel would keep with the buffer, its metadata, is in the file's name, which the other process can read.
 */
#include <amdgpu_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kmd/kmd.h"
#include "vm/written.h"

/* What GEM_MMAP gives for a buffer with a file of its own: no file has negative offsets. */
#define OWN_FILE_OFFSET (1ull << 63)

#define NAME_PREFIX "hdb-vgpu-buffer."
#define LINK_PREFIX "/memfd:" NAME_PREFIX

/* Nobody can make a mapping of it fault, nor undo that. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* ---- the name ---------------------------------------------------------------------------------------------------- */

/* In hexadecimal, without the dwords of data at the end that are not there. memfd_create takes 249 characters. */
struct description {
   uint64_t flags, tiling_info;
   uint32_t domains, size; /* of data, in bytes */
   uint32_t data[22];
};
_Static_assert(sizeof(NAME_PREFIX) - 1 + 2 * sizeof(struct description) <= 249, "too long for a name");

static size_t
description_size(const struct description *description)
{
   return offsetof(struct description, data) + description->size;
}

static void
write_name(struct kmd *kmd, const struct bo *bo, char name[256])
{
   struct description description = {.domains = bo->domains};
   const struct bo_metadata *metadata = bo->metadata;
   if (metadata && metadata->size <= sizeof(description.data)) {
      description.flags = metadata->flags;
      description.tiling_info = metadata->tiling_info;
      description.size = metadata->size;
      memcpy(description.data, metadata->data, metadata->size);
   } else if (metadata) {
      vgpu_log(kmd->gpu, "PRIME_HANDLE_TO_FD: %u bytes of metadata are too many to pass on", metadata->size);
   }
   const uint8_t *bytes = (const uint8_t *)&description;
   char *end = stpcpy(name, NAME_PREFIX);
   for (size_t i = 0; i < description_size(&description); i++)
      end += sprintf(end, "%02x", bytes[i]);
}

/* False: the file is no buffer of a card's. */
static bool
read_name(int fd, struct description *description)
{
   char path[32], link[512];
   snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
   const ssize_t length = readlink(path, link, sizeof(link) - 1);
   if (length < (ssize_t)strlen(LINK_PREFIX) || strncmp(link, LINK_PREFIX, strlen(LINK_PREFIX)))
      return false;
   link[length] = 0;
   *description = (struct description){0};
   const char *digits = link + strlen(LINK_PREFIX);
   size_t size = 0;
   unsigned byte;
   for (; size < sizeof(*description) && sscanf(digits + 2 * size, "%2x", &byte) == 1; size++)
      ((uint8_t *)description)[size] = byte;
   return size >= offsetof(struct description, data) && description->size <= sizeof(description->data) &&
          size == description_size(description);
}

/* ---- out --------------------------------------------------------------------------------------------------------- */

/* Mappings that the process has of this part of the card's file. */
static void
redirect_mappings(struct kmd *kmd, const struct bo *bo, uint64_t offset, int fd)
{
   struct vgpu *gpu = kmd->gpu;
   FILE *maps = fopen("/proc/self/maps", "re");
   if (!maps)
      return;
   const uintptr_t memory = (uintptr_t)gpu->memory, memory_end = memory + gpu->vram_size + gpu->gtt_size;
   char *line = NULL;
   size_t capacity = 0;
   while (getline(&line, &capacity, maps) > 0) {
      uintptr_t start, end;
      char rights[5];
      uint64_t from;
      unsigned major, minor;
      ino_t inode;
      if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %x:%x %" SCNu64, &start, &end, rights, &from, &major,
                 &minor, (uint64_t *)&inode) != 7)
         continue;
      if (inode != gpu->inode || makedev(major, minor) != gpu->device || (start >= memory && end <= memory_end))
         continue;
      /* Neighbours in the file that are neighbours in memory are one line. */
      const uint64_t first = from > offset ? from : offset;
      const uint64_t last = from + (end - start) < offset + bo->size ? from + (end - start) : offset + bo->size;
      if (first >= last)
         continue;
      const int protection = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0);
      if (mmap((void *)(start + (first - from)), last - first, protection, MAP_SHARED | MAP_FIXED, fd,
               first - offset) == MAP_FAILED)
         vgpu_log(gpu, "PRIME_HANDLE_TO_FD: a mapping of the buffer does not show what others write: %m");
   }
   free(line);
   fclose(maps);
}

/* Pages that were never touched stay so. */
static void
copy_touched(struct vgpu *gpu, uint64_t offset, uint64_t size, uint8_t *to)
{
   const off_t end = offset + size;
   off_t stop;
   for (off_t at = lseek(gpu->fd, offset, SEEK_DATA); at >= 0 && at < end; at = lseek(gpu->fd, stop, SEEK_DATA)) {
      stop = lseek(gpu->fd, at, SEEK_HOLE);
      if (stop < 0 || stop > end)
         stop = end;
      memcpy(to + (at - offset), gpu->memory + at, stop - at);
   }
}

/* The same bytes at the same address, behind them another file. The card is stopped. */
static int
replace_memory(struct kmd *kmd, struct bo *bo, int fd)
{
   struct vgpu *gpu = kmd->gpu;
   uint8_t *memory = bo_host_address(kmd, bo);
   const uint64_t offset = memory - gpu->memory;
   void *copy = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
   if (copy == MAP_FAILED)
      return -errno;
   written_add_host(gpu, offset, bo->size); /* others may write there, too */
   copy_touched(gpu, offset, bo->size, copy);
   munmap(copy, bo->size);
   if (mmap(memory, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
      return -errno; /* the old mapping is still there */
   madvise(memory, bo->size, MADV_DONTFORK);
   madvise(memory, bo->size, MADV_DONTDUMP);
   redirect_mappings(kmd, bo, offset, fd);
   /* What it had in the card's file is of no more use; if it cannot be had back now, it is when the buffer ends. */
   (void)!fallocate(gpu->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, bo->size);
   return 0;
}

int
bo_share(struct kmd *kmd, struct bo *bo)
{
   if (bo->file >= 0)
      return 0;
   char name[256];
   write_name(kmd, bo, name);
   int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
   if (fd < 0)
      return -errno;
   int r = ftruncate(fd, bo->size) || fcntl(fd, F_ADD_SEALS, SEALS) ? -errno : cp_lock(kmd->gpu);
   if (!r) {
      r = replace_memory(kmd, bo, fd);
      cp_unlock(kmd->gpu);
   }
   if (r)
      close(fd);
   else
      bo->file = fd;
   return r;
}

/* ---- in ---------------------------------------------------------------------------------------------------------- */

int
bo_import(struct kmd *kmd, int fd, struct bo **out)
{
   struct description description;
   struct stat status;
   const int seals = fcntl(fd, F_GET_SEALS);
   if (!read_name(fd, &description) || seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &status) || !status.st_size)
      return -EINVAL;
   struct bo *bo = calloc(1, sizeof(*bo));
   if (!bo)
      return -ENOMEM;
   bo->refs = 1;
   bo->kind = BO_FOREIGN;
   bo->size = status.st_size;
   bo->domains = description.domains;
   bo->metadata = calloc(1, sizeof(*bo->metadata));
   bo->file = fcntl(fd, F_DUPFD_CLOEXEC, 3);
   void *memory = bo->metadata && bo->file >= 0 ? mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, bo->file, 0)
                                                : MAP_FAILED;
   if (memory == MAP_FAILED) {
      if (bo->file >= 0)
         close(bo->file);
      free(bo->metadata);
      free(bo);
      return -ENOMEM;
   }
   madvise(memory, bo->size, MADV_DONTFORK);
   madvise(memory, bo->size, MADV_DONTDUMP);
   bo->offset = (uintptr_t)memory;
   bo->metadata->flags = description.flags;
   bo->metadata->tiling_info = description.tiling_info;
   bo->metadata->size = description.size;
   memcpy(bo->metadata->data, description.data, description.size);
   *out = bo;
   return 0;
}

/* ---- the end ------------------------------------------------------------------------------------------------------
 */

/* No wave is in the middle of an access: those to come find that nothing is mapped. */
void
bo_close_file(struct kmd *kmd, struct bo *bo)
{
   struct vgpu *gpu = kmd->gpu;
   uint8_t *memory = bo_host_address(kmd, bo);
   const bool stopped = gpu->cp && !cp_lock(gpu);
   if (bo->kind == BO_FOREIGN) {
      munmap(memory, bo->size);
   } else if (mmap(memory, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, gpu->fd,
                   memory - gpu->memory) == MAP_FAILED) {
      vgpu_log(gpu, "the memory of a shared buffer is not the card's again: %m");
   } else {
      madvise(memory, bo->size, MADV_DONTFORK);
      madvise(memory, bo->size, MADV_DONTDUMP);
   }
   if (stopped)
      cp_unlock(gpu);
   close(bo->file);
}

/* ---- mappings of it -----------------------------------------------------------------------------------------------
 */

uint64_t
bo_mmap_offset(struct kmd *kmd, const struct bo *bo)
{
   const uint8_t *memory = bo_host_address(kmd, bo);
   return bo->file >= 0 ? OWN_FILE_OFFSET | (uintptr_t)memory : (uint64_t)(memory - kmd->gpu->memory);
}

/* A descriptor of the file that has the memory at `address`, in *start what it begins at; -1: there is none. */
static int
find_file(struct kmd *kmd, uintptr_t address, uintptr_t *start)
{
   for (uint32_t i = 0; i < kmd->bos.capacity; i++) {
      struct bo *bo = handle_table_get(&kmd->bos, i);
      if (!bo || bo->file < 0)
         continue;
      *start = (uintptr_t)bo_host_address(kmd, bo);
      if (address >= *start && address < *start + bo->size)
         return fcntl(bo->file, F_DUPFD_CLOEXEC, 3);
   }
   return -1;
}

void *
vgpu_mmap(struct vgpu *gpu, void *address, size_t length, int protection, int flags, int64_t offset)
{
   if (offset >= 0)
      return mmap(address, length, protection, flags, gpu->fd, offset);
   if (vgpu_is_inert(gpu)) {
      errno = EIO;
      return MAP_FAILED;
   }
   const uintptr_t wanted = offset & ~OWN_FILE_OFFSET;
   uintptr_t start;
   kmd_lock(gpu->kmd);
   const int fd = find_file(gpu->kmd, wanted, &start);
   kmd_unlock(gpu->kmd);
   if (fd < 0) {
      errno = EINVAL;
      return MAP_FAILED;
   }
   void *mapping = mmap(address, length, protection, flags, fd, wanted - start);
   const int error = errno;
   close(fd);
   errno = error;
   return mapping;
}
