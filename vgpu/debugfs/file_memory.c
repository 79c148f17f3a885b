/* SPDX-License-Identifier: MIT */
/* amdgpu_vram, by offset into VRAM, and amdgpu_iomem, by bus address. */
#include <errno.h>
#include <string.h>

#include "debugfs/faults.h"
#include "debugfs/files.h"

uint64_t
vram_size(const struct card *card)
{
   return card->vram_size;
}

static ssize_t
access_vram(struct card *card, void *data, size_t size, uint64_t offset, bool write)
{
   if (size % 4 || offset % 4)
      return -EINVAL;
   if (card->socket < 0)
      return -EIO;
   if (offset >= card->vram_size)
      return -ENXIO;
   if (size > card->vram_size - offset)
      size = card->vram_size - offset;
   if (faults[FAULT_POWERED_DOWN]) {
      if (!write)
         memset(data, 0xff, size);
      return (ssize_t)size;
   }
   int r = card_copy(card, write ? DEBUGFS_VRAM_WRITE : DEBUGFS_VRAM_READ, 0, offset, data, (uint32_t)size);
   return r ? r : (ssize_t)size;
}

ssize_t
vram_read(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   return access_vram(file->card, data, size, offset, false);
}

ssize_t
vram_write(struct open_file *file, const void *data, size_t size, uint64_t offset)
{
   return access_vram(file->card, (void *)data, size, offset, true);
}

static ssize_t
access_iomem(struct card *card, void *data, size_t size, uint64_t offset, bool write)
{
   uint32_t flags = faults[FAULT_NO_USER_PAGES] ? DEBUGFS_NO_USER_PAGES : 0;
   int r = card_copy(card, write ? DEBUGFS_SYSTEM_WRITE : DEBUGFS_SYSTEM_READ, flags, offset, data, (uint32_t)size);
   return r ? r : (ssize_t)size;
}

ssize_t
iomem_read(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   return access_iomem(file->card, data, size, offset, false);
}

ssize_t
iomem_write(struct open_file *file, const void *data, size_t size, uint64_t offset)
{
   return access_iomem(file->card, (void *)data, size, offset, true);
}
