/* SPDX-License-Identifier: MIT */
/* The machine's half: kernel, module, card, and who may reach it. */
#include "doctor/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "paths.h"
#include "target/second_level.h"

#define LONG_ENOUGH_S 600 /* a person looks at a stopped wave for minutes */
#define LONG_TIMEOUT "3600000"

/* What to do about it. */
#define NEWER_KERNEL "sudo apt install linux-image-amd64 && sudo reboot"
#define LOOK_WHY "sudo dmesg | grep amdgpu"

/* ---- files ------------------------------------------------------------------------------------------------------ */

static void
build_path(const struct doctor *doctor, char path[PATH_MAX], const char *format, va_list arguments)
{
   int length = snprintf(path, PATH_MAX, "%s", doctor->root);
   if (length >= 0 && length < PATH_MAX)
      vsnprintf(path + length, PATH_MAX - length, format, arguments);
}

void
machine_path(const struct doctor *doctor, char path[PATH_MAX], const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   build_path(doctor, path, format, arguments);
   va_end(arguments);
}

bool
machine_has(const struct doctor *doctor, const char *format, ...)
{
   char path[PATH_MAX];
   va_list arguments;
   va_start(arguments, format);
   build_path(doctor, path, format, arguments);
   va_end(arguments);
   return access(path, F_OK) == 0;
}

bool
machine_read(const struct doctor *doctor, char *line, size_t size, const char *format, ...)
{
   char path[PATH_MAX], text[256];
   va_list arguments;
   va_start(arguments, format);
   build_path(doctor, path, format, arguments);
   va_end(arguments);
   FILE *file = fopen(path, "re");
   if (!file)
      return false;
   if (!fgets(text, sizeof(text), file))
      text[0] = '\0';
   fclose(file);
   const char *start = text + strspn(text, " \t");
   snprintf(line, size, "%.*s", (int)strcspn(start, "\n"), start);
   return true;
}

/* Of this hdb's executable; "" below another root. */
static void
doctor_folder(const struct doctor *doctor, char folder[PATH_MAX])
{
   ssize_t length = doctor->root[0] ? 0 : readlink("/proc/self/exe", folder, PATH_MAX - 1);
   folder[length < 0 ? 0 : length] = '\0';
   char *slash = strrchr(folder, '/');
   if (slash)
      *slash = '\0';
}

bool
doctor_runs_in_build_tree(const struct doctor *doctor)
{
   char folder[PATH_MAX];
   doctor_folder(doctor, folder);
   return strncmp(folder, HDB_BUILD_ROOT "/", strlen(HDB_BUILD_ROOT "/")) == 0;
}

/* ---- kernel and module ------------------------------------------------------------------------------------------ */

void
check_kernel(struct doctor *doctor)
{
   char release[128];
   if (!machine_read(doctor, release, sizeof(release), "/proc/sys/kernel/osrelease"))
      doctor_find(doctor, "kernel", FINDING_UNKNOWN, NULL, "/proc/sys/kernel/osrelease can't be read");
   else if (atoi(release) < 6)
      doctor_find(doctor, "kernel", FINDING_NO, NEWER_KERNEL, "Linux %s knows no RDNA3 card", release);
   else
      doctor_find(doctor, "kernel", FINDING_OK, NULL, "Linux %s", release);

   if (machine_has(doctor, "/sys/module/amdgpu"))
      doctor_find(doctor, "amdgpu", FINDING_OK, NULL, "loaded");
   else
      doctor_find(doctor, "amdgpu", FINDING_NO, "sudo modprobe amdgpu", "the kernel module is not loaded");
}

/* ---- the card --------------------------------------------------------------------------------------------------- */

/* A number of the card's discovery table; -1: the kernel does not show it. */
static int
gc_version(const struct doctor *doctor, const char *card, const char *part)
{
   char line[32];
   if (!machine_read(doctor, line, sizeof(line), "/sys/class/drm/%s/device/ip_discovery/die/0/GC/0/%s", card, part))
      return -1;
   return atoi(line);
}

static void
read_address(struct doctor *doctor)
{
   char path[PATH_MAX], target[PATH_MAX];
   machine_path(doctor, path, "/sys/class/drm/%s/device", doctor->card);
   ssize_t length = readlink(path, target, sizeof(target) - 1);
   target[length < 0 ? 0 : length] = '\0';
   const char *slash = strrchr(target, '/');
   snprintf(doctor->address, sizeof(doctor->address), "%.15s", slash ? slash + 1 : target);
}

static bool
is_card(const char *name)
{
   return strncmp(name, "card", 4) == 0 && name[4] && strspn(name + 4, "0123456789") == strlen(name + 4);
}

/* Looks at one card of AMD's: takes it when hdb knows it, or describes it. */
static void
consider_card(struct doctor *doctor, const char *card, char *description, size_t size)
{
   char device[16] = "?";
   machine_read(doctor, device, sizeof(device), "/sys/class/drm/%s/device/device", card);
   int major = gc_version(doctor, card, "major"), minor = gc_version(doctor, card, "minor");
   int revision = gc_version(doctor, card, "revision");
   if (major < 0)
      snprintf(description, size, "%.20s (device %s): the kernel shows no discovery table of it", card, device);
   else if (major != 11 || minor != 0)
      snprintf(description, size, "%.20s (device %s) is GC %d.%d.%d; hdb knows RDNA3, GC 11.0", card, device, major,
               minor, revision);
   else if (!doctor->card[0]) {
      snprintf(doctor->card, sizeof(doctor->card), "%.15s", card);
      read_address(doctor);
      doctor_find(doctor, "card", FINDING_OK, NULL, "%s, device %s at %s, GC %d.%d.%d", card, device, doctor->address,
                  major, minor, revision);
   }
}

static void
check_render_node(struct doctor *doctor)
{
   char path[PATH_MAX], *node = doctor->node;
   machine_path(doctor, path, "/sys/class/drm/%s/device/drm", doctor->card);
   DIR *directory = opendir(path);
   struct dirent *entry;
   while (directory && (entry = readdir(directory))) {
      if (strncmp(entry->d_name, "renderD", 7) == 0)
         snprintf(node, sizeof(doctor->node), "/dev/dri/%s", entry->d_name);
   }
   if (directory)
      closedir(directory);
   machine_path(doctor, path, "%s", node);
   if (!node[0])
      doctor_find(doctor, "render node", FINDING_NO, LOOK_WHY, "%s has none", doctor->card);
   else if (access(path, R_OK | W_OK) == 0)
      doctor_find(doctor, "render node", FINDING_OK, NULL, "%s", node);
   else
      doctor_find(doctor, "render node", FINDING_NO,
                  errno == EACCES ? "sudo usermod -aG render $USER && newgrp render" : LOOK_WHY, "%s: %s", node,
                  strerror(errno));
}

void
check_card(struct doctor *doctor)
{
   char path[PATH_MAX], vendor[16], description[160] = "no AMD card in /sys/class/drm";
   machine_path(doctor, path, "/sys/class/drm");
   DIR *directory = opendir(path);
   struct dirent *entry;
   while (directory && (entry = readdir(directory))) {
      if (is_card(entry->d_name) &&
          machine_read(doctor, vendor, sizeof(vendor), "/sys/class/drm/%s/device/vendor", entry->d_name) &&
          strcmp(vendor, "0x1002") == 0)
         consider_card(doctor, entry->d_name, description, sizeof(description));
   }
   if (directory)
      closedir(directory);
   if (doctor->card[0])
      check_render_node(doctor);
   else
      doctor_find(doctor, "card", FINDING_NO, "hdb run --gpu virtual -- PROGRAM", "%s", description);
}

/* ---- who may reach it ------------------------------------------------------------------------------------------- */

/* Secure Boot brings it about, unless the command line does. */
static const char *
lockdown_remedy(const struct doctor *doctor)
{
   char line[256];
   return machine_read(doctor, line, sizeof(line), "/proc/cmdline") && strstr(line, "lockdown=")
             ? "sudo sed -i 's/lockdown=[a-z]*//' /etc/default/grub && sudo update-grub && sudo reboot"
             : "sudo mokutil --disable-validation && sudo reboot";
}

static void
check_lockdown(struct doctor *doctor)
{
   char line[128];
   const char *chosen;
   if (!machine_read(doctor, line, sizeof(line), "/sys/kernel/security/lockdown"))
      doctor_find(doctor, "lockdown", FINDING_OK, NULL, "no sign of it");
   else if (!(chosen = strchr(line, '[')) || strncmp(chosen, "[none]", 6) == 0)
      doctor_find(doctor, "lockdown", FINDING_OK, NULL, "off");
   else
      doctor_find(doctor, "lockdown", FINDING_NO, lockdown_remedy(doctor),
                  "%.*s: debugfs does not let registers be written", (int)strcspn(chosen + 1, "]"), chosen + 1);
}

static bool
is_mounted(const struct doctor *doctor)
{
   char path[PATH_MAX], line[512], type[64];
   machine_path(doctor, path, "/proc/mounts");
   FILE *file = fopen(path, "re");
   bool found = false;
   while (file && !found && fgets(line, sizeof(line), file))
      found = sscanf(line, "%*s /sys/kernel/debug %63s", type) == 1 && strcmp(type, "debugfs") == 0;
   if (file)
      fclose(file);
   return found;
}

/* The card's folder by its file `name`: "amdgpu dev=0000:03:00.0 unique=...". */
static bool
find_folder(const struct doctor *doctor, DIR *directory, char *folder, size_t size)
{
   char line[128], wanted[32];
   snprintf(wanted, sizeof(wanted), "dev=%s", doctor->address);
   struct dirent *entry;
   while ((entry = readdir(directory))) {
      if (entry->d_name[0] != '.' &&
          machine_read(doctor, line, sizeof(line), "/sys/kernel/debug/dri/%s/name", entry->d_name) &&
          strstr(line, wanted)) {
         snprintf(folder, size, "/sys/kernel/debug/dri/%s", entry->d_name);
         return true;
      }
   }
   return false;
}

static void
check_files(struct doctor *doctor, DIR *directory)
{
   char path[PATH_MAX], *folder = doctor->folder;
   if (!find_folder(doctor, directory, folder, sizeof(doctor->folder))) {
      doctor_find(doctor, "debugfs", FINDING_NO, LOOK_WHY, "no folder of %s in /sys/kernel/debug/dri", doctor->card);
      return;
   }
   static const char *const files[] = {"amdgpu_regs2", "amdgpu_vram", "amdgpu_iomem"};
   for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
      machine_path(doctor, path, "%s/%s", folder, files[i]);
      int fd = open(path, O_RDWR | O_CLOEXEC);
      if (fd < 0) {
         const char *remedy = errno == ENOENT ? NEWER_KERNEL : errno == EPERM ? lockdown_remedy(doctor) : LOOK_WHY;
         doctor_find(doctor, "debugfs", FINDING_NO, remedy, "%s/%s can't be opened: %s", folder, files[i],
                     strerror(errno));
         return;
      }
      close(fd);
   }
   doctor_find(doctor, "debugfs", FINDING_OK, NULL, "%s has registers and memory", folder);
}

static void
check_debugfs(struct doctor *doctor)
{
   char path[PATH_MAX];
   if (!is_mounted(doctor)) {
      doctor_find(doctor, "debugfs", FINDING_NO, "sudo mount -t debugfs none /sys/kernel/debug", "not mounted");
      return;
   }
   machine_path(doctor, path, "/sys/kernel/debug/dri");
   DIR *directory = opendir(path);
   if (!directory && errno == EACCES) {
      doctor_find(doctor, "debugfs", FINDING_UNKNOWN, "sudo hdb doctor", "mounted; only root sees what is in it");
   } else if (!directory) {
      doctor_find(doctor, "debugfs", FINDING_NO, LOOK_WHY, "/sys/kernel/debug/dri: %s", strerror(errno));
   } else {
      check_files(doctor, directory);
      closedir(directory);
   }
}

static void
check_privileges(struct doctor *doctor)
{
   static const char *const programs[] = {"sudo", "pkexec"};
   if (geteuid() == 0) {
      doctor_find(doctor, "privileges", FINDING_OK, NULL, "root");
      return;
   }
   for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
      if (machine_has(doctor, "/usr/bin/%s", programs[i])) {
         doctor_find(doctor, "privileges", FINDING_OK, NULL, "%s starts hdb-helper as root", programs[i]);
         return;
      }
   }
   doctor_find(doctor, "privileges", FINDING_NO, "su -c 'apt install sudo'",
               "not root, and neither sudo nor pkexec is there");
}

/* Where `hdb run` finds it: beside itself, in the build tree in a folder of its own. */
static void
check_helper(struct doctor *doctor)
{
   static const char *const installed[] = {"/usr/local/bin", "/usr/bin"};
   char folder[PATH_MAX], path[PATH_MAX] = HDB_BUILD_ROOT "/helper/hdb-helper";
   doctor_folder(doctor, folder);
   bool found = doctor_runs_in_build_tree(doctor) && access(path, X_OK) == 0;
   if (!found && folder[0]) {
      snprintf(path, sizeof(path), "%.4000s/hdb-helper", folder);
      found = access(path, X_OK) == 0;
   }
   for (size_t i = 0; !found && doctor->root[0] && i < sizeof(installed) / sizeof(installed[0]); i++) {
      machine_path(doctor, path, "%s/hdb-helper", installed[i]);
      found = access(path, F_OK) == 0;
   }
   if (found)
      doctor_find(doctor, "helper", FINDING_OK, NULL, "%.180s", path + strlen(doctor->root));
   else
      doctor_find(doctor, "helper", FINDING_NO, "sudo meson install -C build", "hdb-helper is not installed");
}

/* Nothing to tell of where there is no card to reach. */
void
check_access(struct doctor *doctor)
{
   check_lockdown(doctor);
   if (doctor->card[0])
      check_debugfs(doctor);
   check_privileges(doctor);
   check_helper(doctor);
}

/* ---- how long the GPU may stand still --------------------------------------------------------------------------- */

/* amdgpu's parameter (amdgpu_drv.c): milliseconds for graphics, compute, SDMA and video, or one for several: older
 * kernels leave compute out of it, newer ones don't. Nothing or 0: the kernel's own, seconds. Negative: for ever. */
void
check_timeout(struct doctor *doctor)
{
   static const char remedy[] = "echo options amdgpu lockup_timeout=" LONG_TIMEOUT "," LONG_TIMEOUT
                                " | sudo tee /etc/modprobe.d/hdb.conf && sudo update-initramfs -u && sudo reboot";
   char line[128];
   if (!machine_read(doctor, line, sizeof(line), "/sys/module/amdgpu/parameters/lockup_timeout")) {
      if (machine_has(doctor, "/sys/module/amdgpu"))
         doctor_find(doctor, "lockup_timeout", FINDING_UNKNOWN, remedy, "the module does not show it");
      return;
   }
   long long limit[2] = {0, 0};
   int count = sscanf(line, "%lld,%lld", &limit[0], &limit[1]);
   const char *shown = line[0] ? line : "not set";
   if (count < 1 || limit[0] == 0)
      doctor_find(doctor, "lockup_timeout", FINDING_NO, remedy, "%s: the kernel resets the GPU after seconds", shown);
   else if (limit[0] > 0 && limit[0] < LONG_ENOUGH_S * 1000)
      doctor_find(doctor, "lockup_timeout", FINDING_NO, remedy, "%s: the kernel resets the GPU after %lld s", shown,
                  limit[0] / 1000);
   else if (count == 1)
      doctor_find(doctor, "lockup_timeout", FINDING_NO, remedy, "%s: not for compute in every kernel", shown);
   else if (limit[1] >= 0 && limit[1] < LONG_ENOUGH_S * 1000)
      doctor_find(doctor, "lockup_timeout", FINDING_NO, remedy, "%s: too short for compute", shown);
   else
      doctor_find(doctor, "lockup_timeout", FINDING_OK, NULL, "%s ms", shown);
}

/* ---- traps without root ----------------------------------------------------------------------------------------- */

static int
call_kernel(int fd, unsigned long request, void *argument)
{
   return ioctl(fd, request, argument) < 0 ? -errno : 0;
}

/* Proposed for amdgpu in 2026, in two forms. */
void
check_second_level(struct doctor *doctor)
{
   static const char name[] = "second-level traps", other_road[] = "hdb run --gpu amdgpu -- PROGRAM";
   int fd = doctor->root[0] || !doctor->node[0] ? -1 : open(doctor->node, O_RDWR | O_CLOEXEC);
   if (fd < 0)
      doctor_find(doctor, name, FINDING_UNKNOWN, NULL, "not asked: the render node was not opened");
   else if (hdb_second_level_exists(call_kernel, fd, HDB_SECOND_LEVEL_VM))
      doctor_find(doctor, name, FINDING_OK, NULL, "the kernel has SET_L2_TRAP: HDB_L2_TRAP=vm");
   else if (hdb_second_level_exists(call_kernel, fd, HDB_SECOND_LEVEL_CWSR) ||
            hdb_second_level_exists(call_kernel, fd, HDB_SECOND_LEVEL_CWSR_0X20))
      doctor_find(doctor, name, FINDING_NO, other_road, "at most those of user queues (cwsr), which RADV does not use");
   else
      doctor_find(doctor, name, FINDING_NO, other_road, "this kernel has none; through debugfs it goes without");
   if (fd >= 0)
      close(fd);
}
