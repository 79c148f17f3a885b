/* SPDX-License-Identifier: MIT */
/* What a first tester sends: the screen, and the few files of the machine that explain a failure. One text file. */
#include "doctor/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "paths.h"

extern char **environ;

static void
copy_file(const struct doctor *doctor, FILE *file, const char *path)
{
   char full[PATH_MAX], line[512];
   machine_path(doctor, full, "%s", path);
   FILE *source = fopen(full, "re");
   if (!source)
      return;
   fprintf(file, "\n== %s\n", path);
   for (int lines = 0; lines < 200 && fgets(line, sizeof(line), source); lines++)
      fputs(line, file);
   fclose(source);
}

static void
copy_folder(const struct doctor *doctor, FILE *file, const char *path)
{
   char full[PATH_MAX];
   machine_path(doctor, full, "%s", path);
   struct dirent **entries;
   int count = scandir(full, &entries, NULL, alphasort);
   for (int i = 0; i < count; i++) {
      char name[PATH_MAX];
      int length = snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
      if (entries[i]->d_name[0] != '.' && length < (int)sizeof(name))
         copy_file(doctor, file, name);
      free(entries[i]);
   }
   if (count >= 0)
      free(entries);
}

/* Which files there are: what the kernel was built with shows in that. */
static void
list_folder(const struct doctor *doctor, FILE *file, const char *path)
{
   char full[PATH_MAX];
   machine_path(doctor, full, "%s", path);
   struct dirent **entries;
   int count = scandir(full, &entries, NULL, alphasort);
   if (count < 0)
      return;
   fprintf(file, "\n== names in %s\n", path);
   for (int i = 0; i < count; i++) {
      if (entries[i]->d_name[0] != '.')
         fprintf(file, "%s\n", entries[i]->d_name);
      free(entries[i]);
   }
   free(entries);
}

/* Of the kernel's command line and the environment only what concerns graphics: the rest is nobody's business. */
static void
copy_words(const struct doctor *doctor, FILE *file)
{
   static const char *const parameters[] = {"amdgpu.", "lockdown", "drm.", "iommu", "amd_iommu"};
   static const char *const variables[] = {"VK_", "HDB_", "RADV_", "AMD_", "MESA_", "ACO_"};
   char line[4096] = "", path[PATH_MAX];
   machine_path(doctor, path, "/proc/cmdline");
   FILE *source = fopen(path, "re");
   if (source) {
      if (!fgets(line, sizeof(line), source))
         line[0] = '\0';
      fclose(source);
   }
   fputs("\n== /proc/cmdline, in part\n", file);
   char *save;
   for (char *word = strtok_r(line, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
      for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
         if (strncmp(word, parameters[i], strlen(parameters[i])) == 0) {
            fprintf(file, "%s\n", word);
            break;
         }
      }
   }
   fputs("\n== environment, in part\n", file);
   for (char **variable = environ; *variable; variable++) {
      for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
         if (strncmp(*variable, variables[i], strlen(variables[i])) == 0)
            fprintf(file, "%s\n", *variable);
      }
   }
}

/* The kernel's messages about the card; root may read them. Each read of /dev/kmsg gives one record: "prefix;text". */
static void
copy_messages(const struct doctor *doctor, FILE *file)
{
   int fd = doctor->root[0] ? -1 : open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
   char record[2048];
   ssize_t length;
   if (fd < 0)
      return;
   fputs("\n== kernel messages of amdgpu and drm\n", file);
   while ((length = read(fd, record, sizeof(record) - 1)) > 0 || (length < 0 && errno == EPIPE)) {
      if (length < 0)
         continue; /* records were overwritten meanwhile */
      record[length] = '\0';
      char *text = strchr(record, ';');
      if (text && (strstr(text, "amdgpu") || strstr(text, "[drm")))
         fprintf(file, "%.*s\n", (int)strcspn(text + 1, "\n"), text + 1);
   }
   close(fd);
}

int
write_report(const struct doctor *doctor, const char *path)
{
   FILE *file = fopen(path, "we");
   if (!file)
      return error("%s can't be written: %s", path, strerror(errno));
   fprintf(file, "hdb %s, report of `hdb doctor`. It names this machine's graphics hardware, kernel and settings.\n\n",
           HDB_VERSION);
   print_screen(doctor, file);
   copy_file(doctor, file, "/proc/version");
   copy_file(doctor, file, "/etc/os-release");
   copy_words(doctor, file);
   copy_folder(doctor, file, "/sys/module/amdgpu/parameters");
   if (doctor->card[0]) {
      static const char *const names[] = {"vendor",
                                          "device",
                                          "revision",
                                          "subsystem_vendor",
                                          "subsystem_device",
                                          "vbios_version",
                                          "uevent",
                                          "mem_info_vram_total",
                                          "mem_info_vis_vram_total",
                                          "mem_info_gtt_total",
                                          "power/runtime_status",
                                          "current_link_width",
                                          "ip_discovery/die/0/GC/0/major",
                                          "ip_discovery/die/0/GC/0/minor",
                                          "ip_discovery/die/0/GC/0/revision",
                                          "ip_discovery/die/0/GC/0/base_addr",
                                          "ip_discovery/die/0/OSSSYS/0/base_addr"};
      for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
         char name[PATH_MAX];
         snprintf(name, sizeof(name), "/sys/class/drm/%s/device/%s", doctor->card, names[i]);
         copy_file(doctor, file, name);
      }
      char name[PATH_MAX];
      snprintf(name, sizeof(name), "/sys/class/drm/%s/device/fw_version", doctor->card);
      copy_folder(doctor, file, name);
   }
   if (doctor->folder[0]) {
      char name[PATH_MAX];
      list_folder(doctor, file, doctor->folder);
      snprintf(name, sizeof(name), "%s/amdgpu_firmware_info", doctor->folder);
      copy_file(doctor, file, name);
   }
   copy_file(doctor, file, "/sys/kernel/security/lockdown");
   copy_messages(doctor, file);
   bool good = !ferror(file);
   if (fclose(file) != 0 || !good)
      return error("%s can't be written whole", path);
   return 0;
}
