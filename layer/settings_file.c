/* SPDX-License-Identifier: MIT */
/* vk_layer_settings.txt: which one it is, and its text. It is read before the program runs on, so that nothing that
 * waits or never ends is read: a pipe, a terminal, a device. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings.h"

#define FILE_NAME "vk_layer_settings.txt"
#define CONFIGURATOR "/vulkan/settings.d"
#define MAX_SIZE (1u << 20)

/* Of a folder; false: there is no such file. */
static bool
name_in(char path[PATH_MAX], const char *root, const char *folder)
{
   int n = root && *root ? snprintf(path, PATH_MAX, "%s%s/" FILE_NAME, root, folder) : -1;
   return n > 0 && n < PATH_MAX && access(path, F_OK) == 0;
}

/* The order is that of the Khronos layers, where Vulkan Configurator's own file comes first. */
static bool
find_file(char path[PATH_MAX])
{
   const char *data = getenv("XDG_DATA_HOME"), *named = getenv("VK_LAYER_SETTINGS_PATH");
   if (data && *data ? name_in(path, data, CONFIGURATOR) : name_in(path, getenv("HOME"), "/.local/share" CONFIGURATOR))
      return true;
   if (!named || !*named)
      return name_in(path, ".", "");
   struct stat status;
   if (!stat(named, &status) && S_ISDIR(status.st_mode))
      return name_in(path, named, "");
   return snprintf(path, PATH_MAX, "%s", named) < PATH_MAX && access(path, F_OK) == 0;
}

/* NULL: *why says what is wrong with it. */
static char *
read_text(int fd, const char **why)
{
   struct stat status;
   *why = strerror(errno);
   if (fd < 0 || fstat(fd, &status) < 0)
      return NULL;
   *why = "it is no regular file";
   if (!S_ISREG(status.st_mode))
      return NULL;
   char *text = malloc(MAX_SIZE + 1);
   size_t size = 0;
   ssize_t n = 0;
   *why = "out of memory";
   while (text && size <= MAX_SIZE && (n = read(fd, text + size, MAX_SIZE + 1 - size)) > 0)
      size += (size_t)n;
   if (n < 0)
      *why = strerror(errno);
   else if (size > MAX_SIZE)
      *why = "it is larger than a megabyte";
   else if (text && memchr(text, '\0', size))
      *why = "it is no text";
   else if (text) {
      text[size] = '\0';
      return text;
   }
   free(text);
   return NULL;
}

char *
layer_settings_read_file(FILE *log, int *bad)
{
   char path[PATH_MAX];
   if (!find_file(path))
      return NULL;
   const char *why;
   int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
   char *text = read_text(fd, &why);
   if (fd >= 0)
      close(fd);
   if (!text) {
      fprintf(log, "hdb: the settings in %s are not read: %s\n", path, why);
      ++*bad;
   }
   return text;
}
