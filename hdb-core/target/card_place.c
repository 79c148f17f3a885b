/* SPDX-License-Identifier: MIT */
/*
 * Where a card is: its folder in debugfs, and where the segments of its graphics engine's registers begin, which the
 * kernel shows of the card's own discovery table (amdgpu_discovery.c: ip_discovery/die/0/GC/0/base_addr, a line for
 * each segment, in dwords).
 */
#include "target/debugfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static bool
read_line(const char *path, char *line, size_t size)
{
   FILE *file = fopen(path, "re");
   if (!file)
      return false;
   bool good = fgets(line, (int)size, file);
   fclose(file);
   return good;
}

static bool
has_file(const char *folder, const char *name)
{
   char path[PATH_MAX];
   snprintf(path, sizeof(path), "%s/%s", folder, name);
   return !access(path, F_OK);
}

/* Whether a card's `name` ("amdgpu dev=0000:03:00.0 unique=0000:03:00.0") has this PCI address. */
static bool
has_address(const char *folder, const char *address)
{
   char path[PATH_MAX], line[256], wanted[64];
   snprintf(path, sizeof(path), "%s/name", folder);
   snprintf(wanted, sizeof(wanted), "dev=%s", address);
   if (!read_line(path, line, sizeof(line)))
      return false;
   const char *found = strstr(line, wanted);
   return found && !isgraph((unsigned char)found[strlen(wanted)]);
}

/* The folder of the card with this PCI address, or with none given of the first card. A card has several: one for each
 * of its minors, and in newer kernels one by its address. */
static int
find_debugfs(const char *root, const char *address, char *folder, size_t size)
{
   DIR *directory = opendir(root);
   if (!directory)
      return -errno;
   int result = -ENODEV;
   struct dirent *entry;
   while (result == -ENODEV && (entry = readdir(directory))) {
      if (entry->d_name[0] == '.')
         continue;
      int length = snprintf(folder, size, "%s/%s", root, entry->d_name);
      if (length > 0 && (size_t)length < size && (!address || has_address(folder, address)))
         result = has_file(folder, "amdgpu_regs2") ? 0 : has_file(folder, "amdgpu_vram") ? -EOPNOTSUPP : -ENODEV;
   }
   closedir(directory);
   return result;
}

static int
read_gc_base(const char *device, uint32_t base[GC_SEGMENTS])
{
   char *path, line[64];
   if (asprintf(&path, "%s/ip_discovery/die/0/GC/0/base_addr", device) < 0)
      return -ENOMEM;
   FILE *file = fopen(path, "re");
   int error = -errno;
   free(path);
   if (!file)
      return error;
   int count = 0;
   while (count < GC_SEGMENTS && fgets(line, sizeof(line), file)) {
      char *end;
      unsigned long value = strtoul(line, &end, 16);
      if (end == line || value == 0 || value > 0xfffff)
         break;
      base[count++] = (uint32_t)value;
   }
   fclose(file);
   return count == GC_SEGMENTS ? 0 : -EINVAL;
}

/* The device's folder in sysfs: of a render node, or of card 0. */
static int
find_device(dev_t render_node, const char *sysfs, char device[PATH_MAX])
{
   char path[PATH_MAX];
   if (render_node)
      snprintf(path, sizeof(path), "%s/dev/char/%u:%u/device", sysfs, major(render_node), minor(render_node));
   else
      snprintf(path, sizeof(path), "%s/class/drm/card0/device", sysfs);
   return realpath(path, device) ? 0 : -errno;
}

int
hdb_card_place_find(dev_t render_node, const char *debugfs, const char *sysfs, struct hdb_card_place *place, char *why,
                    size_t why_size)
{
   char device[PATH_MAX];
   if (!debugfs)
      debugfs = "/sys/kernel/debug/dri";
   if (!sysfs)
      sysfs = "/sys";
   int error = find_device(render_node, sysfs, device);
   if (error) {
      snprintf(why, why_size, "the card is not in %s: %s", sysfs, strerror(-error));
      return error;
   }
   error = read_gc_base(device, place->gc_base);
   if (error) {
      snprintf(why, why_size, "%s/ip_discovery does not say where the card's registers are: %s", device,
               strerror(-error));
      return error;
   }
   const char *address = render_node ? strrchr(device, '/') + 1 : NULL;
   error = find_debugfs(debugfs, address, place->debugfs, sizeof(place->debugfs));
   if (error == -EOPNOTSUPP)
      snprintf(why, why_size, "the kernel is too old: %s has no amdgpu_regs2", place->debugfs);
   else if (error)
      snprintf(why, why_size, "no amdgpu card%s%s in %s: %s", address ? " " : "", address ? address : "", debugfs,
               error == -EACCES ? "that takes root" : strerror(-error));
   return error;
}
