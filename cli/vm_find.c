/* SPDX-License-Identifier: MIT */
/* Of `hdb vm`: which card a process uses, and which VMID it has there. */
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cli.h"
#include "vm.h"

#define DRM_MAJOR 226
#define FIRST_RENDER_MINOR 128

int
vm_read_register(void *user, uint32_t offset, uint32_t *value)
{
   struct vm_card *card = user;
   return hdb_debugfs_read_register(&card->files, NULL, GC_REGISTER(0, offset), value);
}

/* The render node that the process has open; 0: none, as on a virtual card. */
dev_t
vm_render_node(const char *proc, pid_t pid)
{
   char path[PATH_MAX];
   snprintf(path, sizeof(path), "%s/%d/fd", proc, pid);
   DIR *directory = opendir(path);
   dev_t node = 0;
   struct dirent *entry;
   while (directory && !node && (entry = readdir(directory))) {
      struct stat status;
      if (fstatat(dirfd(directory), entry->d_name, &status, 0) == 0 && S_ISCHR(status.st_mode) &&
          major(status.st_rdev) == DRM_MAJOR && minor(status.st_rdev) >= FIRST_RENDER_MINOR)
         node = status.st_rdev;
   }
   if (directory)
      closedir(directory);
   return node;
}

/* Looks like "226:129". */
static dev_t
read_device_number(const char *path)
{
   unsigned high, low;
   FILE *file = fopen(path, "re");
   bool good = file && fscanf(file, "%u:%u", &high, &low) == 2;
   if (file)
      fclose(file);
   return good ? makedev(high, low) : 0;
}

dev_t
vm_first_card(const char *sysfs)
{
   char path[PATH_MAX];
   snprintf(path, sizeof(path), "%s/class/drm", sysfs ? sysfs : "/sys");
   DIR *directory = opendir(path);
   dev_t node = 0;
   struct dirent *entry;
   while (directory && !node && (entry = readdir(directory))) {
      if (strncmp(entry->d_name, "renderD", strlen("renderD")) != 0)
         continue;
      snprintf(path, sizeof(path), "%s/class/drm/%s/device/ip_discovery/die/0/GC", sysfs ? sysfs : "/sys",
               entry->d_name);
      if (access(path, F_OK) < 0)
         continue;
      snprintf(path, sizeof(path), "%s/class/drm/%s/dev", sysfs ? sysfs : "/sys", entry->d_name);
      node = read_device_number(path);
   }
   if (directory)
      closedir(directory);
   return node;
}

/* Whether a card's file `clients` (drm_debugfs.c: command, tgid, dev, ... in columns) names the process. */
static bool
has_client(const char *folder, pid_t pid)
{
   char path[PATH_MAX], line[256];
   snprintf(path, sizeof(path), "%s/clients", folder);
   FILE *file = fopen(path, "re");
   bool found = false;
   while (file && !found && fgets(line, sizeof(line), file)) {
      char *save, *word = strtok_r(line, " \t\n", &save); /* the command, which may have blanks */
      uint64_t tgid = 0;
      while (word && (word = strtok_r(NULL, " \t\n", &save)) && !parse_unsigned(word, &tgid))
         continue;
      found = word && tgid == (uint64_t)pid;
   }
   if (file)
      fclose(file);
   return found;
}

/* The card that this process uses, where each process may have its own; false: none. */
bool
vm_find_client(struct hdb_card_place *place, const char *root, pid_t pid)
{
   DIR *directory = opendir(root);
   bool found = false;
   struct dirent *entry;
   while (directory && !found && (entry = readdir(directory))) {
      char folder[sizeof(place->debugfs)];
      int length = snprintf(folder, sizeof(folder), "%s/%s", root, entry->d_name);
      found = entry->d_name[0] != '.' && length < (int)sizeof(folder) && has_client(folder, pid);
      if (found)
         strcpy(place->debugfs, folder);
   }
   if (directory)
      closedir(directory);
   return found;
}

/* amdgpu's fdinfo has the process address space id (amdgpu_fdinfo.c); 0: none. */
static uint32_t
pasid_of(const char *proc, pid_t pid)
{
   char path[PATH_MAX], line[256];
   snprintf(path, sizeof(path), "%s/%d/fdinfo", proc, pid);
   DIR *directory = opendir(path);
   uint32_t pasid = 0;
   struct dirent *entry;
   while (directory && !pasid && (entry = readdir(directory))) {
      snprintf(path, sizeof(path), "%s/%d/fdinfo/%s", proc, pid, entry->d_name);
      FILE *file = fopen(path, "re");
      while (file && fgets(line, sizeof(line), file) && sscanf(line, "pasid: %" SCNu32, &pasid) != 1)
         continue;
      if (file)
         fclose(file);
   }
   if (directory)
      closedir(directory);
   return pasid;
}

/* IH_VMID_n_LUT says whose a VMID was last: OSSSYS segment 0, offset n, PASID 15:0 (osssys_6_0_0_offset.h). -1: nobody
 * knows. */
static int
vmid_of_pasid(struct vm_card *card, const char *sysfs, dev_t node, uint32_t pasid)
{
   char path[PATH_MAX];
   unsigned base = 0;
   snprintf(path, sizeof(path), "%s/dev/char/%u:%u/device/ip_discovery/die/0/OSSSYS/0/base_addr",
            sysfs ? sysfs : "/sys", major(node), minor(node));
   FILE *file = fopen(path, "re");
   if (!file || fscanf(file, "%x", &base) != 1)
      base = 0;
   if (file)
      fclose(file);
   for (int vmid = 1; base && vmid < VMIDS; vmid++) {
      uint32_t value;
      if (pread(card->files.regs2, &value, sizeof(value), 4 * (base + vmid)) == sizeof(value) &&
          (value & 0xffff) == pasid)
         return vmid;
   }
   return -1;
}

int
vm_find_vmid(struct vm_card *card, const char *sysfs, const char *proc, pid_t pid)
{
   uint32_t pasid = pasid_of(proc, pid);
   int vmid = pasid ? vmid_of_pasid(card, sysfs, vm_render_node(proc, pid), pasid) : -1;
   if (vmid > 0)
      return vmid;
   int candidates = 0;
   for (uint32_t id = 1; id < VMIDS; id++) {
      struct hdb_vm vm;
      if (hdb_vm_init(&vm, id, vm_read_register, card) == 0 && vm.enabled && vm.root & HDB_PTE_VALID) {
         vmid = (int)id;
         candidates++;
      }
   }
   if (candidates == 1)
      return vmid;
   return error(candidates ? "%d address spaces are on the card, and nothing says which is process %d's: use --vmid"
                           : "no address space is on the card (%d), process %d has run nothing yet",
                candidates, pid);
}
