/* SPDX-License-Identifier: MIT */
/* The table of files, and those that are small: text, reset, GFXOFF. */
#include "debugfs/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debugfs/faults.h"

/* The size of Navi31's register window. */
static uint64_t
register_window(const struct card *card)
{
   return 1 << 20;
}

/* ---- text ---- */

static ssize_t
copy_text(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   size_t length = strlen(file->text);
   if (offset >= length)
      return 0;
   if (size > length - offset)
      size = length - offset;
   memcpy(data, file->text + offset, size);
   return (ssize_t)size;
}

/* drm_name_info */
static ssize_t
name_read(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   const struct card *card = file->card;
   if (offset == 0)
      snprintf(file->text, sizeof(file->text), "amdgpu dev=0000:%02x:00.0 unique=0000:%02x:00.0\n", 3 + card->number,
               3 + card->number);
   return card->socket < 0 ? -EIO : copy_text(file, data, size, offset);
}

/* drm_clients_info */
static ssize_t
clients_read(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   const struct card *card = file->card;
   if (offset == 0)
      snprintf(file->text, sizeof(file->text),
               "%20s %5s %3s master a %5s %10s\n"
               "%20s %5d %3d   %c    %c %5d %10u\n",
               "command", "tgid", "dev", "uid", "magic", card->command, card->pid, 128 + card->number, 'n', 'y',
               card->uid, 0);
   return card->socket < 0 ? -EIO : copy_text(file, data, size, offset);
}

/* Reading it resets the card; the text is the result. */
static ssize_t
gpu_recover_read(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   if (offset == 0) {
      int r = card_reset(file->card);
      if (r == -EIO || r == -ETIMEDOUT)
         return r;
      snprintf(file->text, sizeof(file->text), "%d\n", r);
   }
   return copy_text(file, data, size, offset);
}

/* ---- GFXOFF ---- */

static ssize_t
fill(void *data, size_t size, uint32_t value)
{
   for (size_t i = 0; i < size / 4; i++)
      ((uint32_t *)data)[i] = value;
   return (ssize_t)size;
}

/* Whether it is allowed. */
static ssize_t
gfxoff_read(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   if (size % 4 || offset % 4)
      return -EINVAL;
   return file->card->socket < 0 ? -EIO : fill(data, size, file->card->gfxoff_holds == 0);
}

/* 0 forbids it, anything else takes one such word back. Nobody does that for a process that has died. */
static ssize_t
gfxoff_write(struct open_file *file, const void *data, size_t size, uint64_t offset)
{
   struct card *card = file->card;
   if (size % 4 || offset % 4)
      return -EINVAL;
   if (card->socket < 0)
      return -EIO;
   for (size_t i = 0; i < size / 4; i++) {
      if (!((const uint32_t *)data)[i])
         card->gfxoff_holds++;
      else if (card->gfxoff_holds)
         card->gfxoff_holds--;
   }
   return (ssize_t)size;
}

/* What the power firmware says: 0 in GFXOFF, 2 not in it (1 and 3 are between). */
static ssize_t
gfxoff_status_read(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   if (size % 4 || offset % 4)
      return -EINVAL;
   bool busy = false;
   int r = card_registers(file->card, 0, NULL, 0, NULL, 0, &busy);
   bool off = faults[FAULT_GFXOFF] && !file->card->gfxoff_holds && !busy;
   return r ? r : fill(data, size, off ? 0 : 2);
}

/* ---- the table ---- */

static const struct file_type types[] = {
   {.name = "name", .mode = 0444, .read = name_read},
   {.name = "clients", .mode = 0444, .read = clients_read},
   {.name = "amdgpu_regs", .mode = 0444, .mmio = true, .read = regs_read, .write = regs_write, .size = register_window},
   {.name = "amdgpu_regs2", .mode = 0444, .mmio = true, .read = regs2_read, .write = regs2_write, .ioctl = regs2_ioctl},
   {.name = "amdgpu_gprwave", .mode = 0444, .mmio = true, .read = gprwave_read, .ioctl = gprwave_ioctl},
   {.name = "amdgpu_wave", .mode = 0444, .mmio = true, .read = wave_read},
   {.name = "amdgpu_gpr", .mode = 0444, .mmio = true, .read = gpr_read},
   {.name = "amdgpu_vram", .mode = 0444, .mmio = true, .read = vram_read, .write = vram_write, .size = vram_size},
   {.name = "amdgpu_iomem", .mode = 0444, .mmio = true, .read = iomem_read, .write = iomem_write},
   {.name = "amdgpu_gpu_recover", .mode = 0444, .read = gpu_recover_read},
   {.name = "amdgpu_gfxoff", .mode = 0444, .read = gfxoff_read, .write = gfxoff_write},
   {.name = "amdgpu_gfxoff_status", .mode = 0444, .read = gfxoff_status_read},
};
enum { TYPES = sizeof(types) / sizeof(types[0]) };

static bool
exists(const struct file_type *type)
{
   return type->ioctl != regs2_ioctl || !faults[FAULT_NO_REGS2];
}

const struct file_type *
file_by_index(unsigned index)
{
   return index < TYPES && exists(&types[index]) ? &types[index] : NULL;
}

unsigned
file_index(const struct file_type *type)
{
   return (unsigned)(type - types);
}

static unsigned
find(const char *name)
{
   unsigned i = 0;
   while (i < TYPES && strcmp(types[i].name, name))
      i++;
   return i;
}

const struct file_type *
file_by_name(const char *name)
{
   return file_by_index(find(name));
}

bool
file_is_known(const char *name)
{
   return find(name) < TYPES;
}

/* Lockdown lets only those files be opened that can neither be written nor have ioctls (fs/debugfs/file.c). */
static bool
is_locked_down(const struct file_type *type, int flags)
{
   bool changes = (flags & O_ACCMODE) != O_RDONLY || type->ioctl;
   return ((faults[FAULT_LOCKDOWN] || faults[FAULT_LOCKDOWN_READS]) && changes) ||
          (faults[FAULT_LOCKDOWN_READS] && type->mmio);
}

static struct open_file *open_files;

int
file_open(const struct file_type *type, struct card *card, int flags, struct open_file **out)
{
   if (is_locked_down(type, flags))
      return -EPERM;
   if (card->socket < 0)
      return -EIO;
   struct open_file *file = calloc(1, sizeof(*file));
   if (!file)
      return -ENOMEM;
   file->type = type;
   file->card = card_ref(card);
   file->next = open_files;
   file->link = &open_files;
   if (file->next)
      file->next->link = &file->next;
   open_files = file;
   *out = file;
   return 0;
}

void
file_release(struct open_file *file)
{
   *file->link = file->next;
   if (file->next)
      file->next->link = file->link;
   card_unref(file->card);
   free(file);
}

bool
file_is_any_open(void)
{
   return open_files;
}
