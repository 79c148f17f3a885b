/* SPDX-License-Identifier: MIT */
/* Facts: the kernel's amdgpu_debugfs.c, amdgpu_umr.h (structure and numbers), amdgpu_ttm.c (vram, iomem). */
#include "target/debugfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The state of an open amdgpu_regs2. Version 1 of the ioctl, without xcc_id, forgets the VMID. */
struct regs2_state {
   uint32_t use_srbm, use_grbm, pg_lock;
   uint32_t se, sh, instance;      /* GRBM_GFX_INDEX; all ones: broadcast */
   uint32_t me, pipe, queue, vmid; /* GRBM_GFX_CNTL */
   uint32_t xcc_id;
};
#define REGS2_SET_STATE_V2 _IOWR(0x20, 1, struct regs2_state)

static int
open_file(const char *folder, const char *name, int *fd)
{
   char path[256];
   snprintf(path, sizeof(path), "%s/%s", folder, name);
   *fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
   return *fd < 0 ? -errno : 0;
}

static void
explain(const char *folder, const char *name, int error, char *why, size_t size)
{
   const char *advice = "";
   if (error == -EPERM)
      advice = "; kernel lockdown refuses debugfs: turn Secure Boot's lockdown off (cat /sys/kernel/security/lockdown)";
   else if (error == -EACCES)
      advice = "; that takes root";
   snprintf(why, size, "%s/%s can't be opened: %s%s", folder, name, strerror(-error), advice);
}

int
hdb_debugfs_open(struct hdb_debugfs *files, const struct hdb_card_place *place, char *why, size_t why_size)
{
   *files = HDB_DEBUGFS_CLOSED;
   memcpy(files->gc_base, place->gc_base, sizeof(files->gc_base));
   const struct {
      const char *name;
      int *fd;
      bool optional; /* cards without GFXOFF may lack it */
   } wanted[] = {
      {"amdgpu_regs2", &files->regs2, false},
      {"amdgpu_vram", &files->vram, false},
      {"amdgpu_iomem", &files->iomem, false},
      {"amdgpu_gfxoff", &files->gfxoff, true},
   };
   for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
      int error = open_file(place->debugfs, wanted[i].name, wanted[i].fd);
      if (error && !(wanted[i].optional && error == -ENOENT)) {
         explain(place->debugfs, wanted[i].name, error, why, why_size);
         hdb_debugfs_close(files);
         return error;
      }
   }
   return 0;
}

void
hdb_debugfs_close(struct hdb_debugfs *files)
{
   int *fds[] = {&files->regs2, &files->vram, &files->iomem, &files->gfxoff};
   for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
      if (*fds[i] >= 0)
         close(*fds[i]);
      *fds[i] = -1;
   }
}

/* ---- whole accesses ---- */

#define EINTR_LIMIT 100 /* that many in a row are no accident */

static int
transfer_whole(int fd, void *data, size_t size, uint64_t offset, bool writes)
{
   int interrupted = 0;
   while (size) {
      ssize_t n = writes ? pwrite(fd, data, size, (off_t)offset) : pread(fd, data, size, (off_t)offset);
      if (n < 0 && errno == EINTR && interrupted++ < EINTR_LIMIT)
         continue;
      if (n < 0)
         return -errno;
      if (n == 0)
         return -EIO;
      data = (uint8_t *)data + n;
      size -= n;
      offset += n;
   }
   return 0;
}

static int
read_whole(int fd, void *data, size_t size, uint64_t offset)
{
   return transfer_whole(fd, data, size, offset, false);
}

static int
write_whole(int fd, const void *data, size_t size, uint64_t offset)
{
   return transfer_whole(fd, (void *)data, size, offset, true);
}

/* ---- registers ---- */

/* Two ways to choose a bank, both at once if need be. GRBM_GFX_INDEX is broadcast when nobody has chosen. */
static int
select_bank(struct hdb_debugfs *files, const struct hdb_bank *bank)
{
   static const struct hdb_bank none = {.se = HDB_BROADCAST, .sa = HDB_BROADCAST, .instance = HDB_BROADCAST};
   if (!bank)
      bank = &none;
   if (files->bank_known && !memcmp(bank, &files->bank, sizeof(*bank)))
      return 0;
   files->bank_known = false;
   struct regs2_state state = {
      .use_srbm = bank->me || bank->pipe || bank->queue || bank->vmid,
      .use_grbm = bank->se != HDB_BROADCAST || bank->sa != HDB_BROADCAST || bank->instance != HDB_BROADCAST,
      .se = bank->se,
      .sh = bank->sa,
      .instance = bank->instance,
      .me = bank->me,
      .pipe = bank->pipe,
      .queue = bank->queue,
      .vmid = bank->vmid,
   };
   int interrupted = 0;
   while (ioctl(files->regs2, REGS2_SET_STATE_V2, &state) < 0) {
      if (errno == EINTR && interrupted++ < EINTR_LIMIT)
         continue;
      /* Older kernels have version 1 only, which would reach the banks of VMID 0. */
      return errno == ENOTTY || errno == EINVAL ? -EOPNOTSUPP : -errno;
   }
   files->bank = *bank;
   files->bank_known = true;
   return 0;
}

int
hdb_debugfs_read_register(struct hdb_debugfs *files, const struct hdb_bank *bank, uint32_t reg, uint32_t *value)
{
   int error = select_bank(files, bank);
   return error ?: read_whole(files->regs2, value, sizeof(*value), hdb_register_address(files->gc_base, reg));
}

int
hdb_debugfs_write_register(struct hdb_debugfs *files, const struct hdb_bank *bank, uint32_t reg, uint32_t value)
{
   int error = select_bank(files, bank);
   return error ?: write_whole(files->regs2, &value, sizeof(value), hdb_register_address(files->gc_base, reg));
}

/* ---- memory ---- */

/* amdgpu_vram takes whole dwords only. How much can be had at once: dwords, or what is wanted of one. */
static size_t
vram_part(uint64_t address, size_t size)
{
   size_t in_dword = 4 - (address & 3);
   if (in_dword == 4 && size >= 4)
      return size & ~(size_t)3;
   return size < in_dword ? size : in_dword;
}

static int
read_vram(struct hdb_debugfs *files, uint64_t address, void *data, size_t size)
{
   while (size) {
      size_t part = vram_part(address, size);
      uint8_t dword[4];
      int error =
         part < 4 ? read_whole(files->vram, dword, 4, address & ~3ull) : read_whole(files->vram, data, part, address);
      if (error)
         return error;
      if (part < 4)
         memcpy(data, dword + (address & 3), part);
      data = (uint8_t *)data + part;
      address += part;
      size -= part;
   }
   return 0;
}

static int
write_vram(struct hdb_debugfs *files, uint64_t address, const void *data, size_t size)
{
   while (size) {
      size_t part = vram_part(address, size);
      uint8_t dword[4];
      int error = 0;
      if (part < 4) {
         error = read_whole(files->vram, dword, 4, address & ~3ull);
         memcpy(dword + (address & 3), data, part);
         error = error ?: write_whole(files->vram, dword, 4, address & ~3ull);
      } else {
         error = write_whole(files->vram, data, part, address);
      }
      if (error)
         return error;
      data = (const uint8_t *)data + part;
      address += part;
      size -= part;
   }
   return 0;
}

int
hdb_debugfs_read_memory(struct hdb_debugfs *files, bool system, uint64_t address, void *data, size_t size)
{
   return system ? read_whole(files->iomem, data, size, address) : read_vram(files, address, data, size);
}

int
hdb_debugfs_write_memory(struct hdb_debugfs *files, bool system, uint64_t address, const void *data, size_t size)
{
   return system ? write_whole(files->iomem, data, size, address) : write_vram(files, address, data, size);
}

int
hdb_debugfs_hold_gfxoff(struct hdb_debugfs *files, bool hold)
{
   if (files->gfxoff < 0 || files->holds_gfxoff == hold)
      return 0;
   uint32_t allowed = !hold;
   int error = write_whole(files->gfxoff, &allowed, sizeof(allowed), 0);
   if (!error)
      files->holds_gfxoff = hold;
   return error;
}
