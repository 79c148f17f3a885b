/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings.h"

#define FILE_NAME "vk_layer_settings.txt"
#define CONFIGURATOR "/vulkan/settings.d"
#define ENVIRONMENT_PREFIX "VK_HDB_"
#define FILE_PREFIX "hdb."

static bool
is_valid(const struct layer_setting_info *info, const char *value)
{
   if (!info->values)
      return !*value || info->valid(value);
   for (const struct layer_setting_value *allowed = info->values; allowed->key; allowed++) {
      if (!strcmp(allowed->key, value))
         return true;
   }
   return false;
}

static void
environment_name(char name[64], const char *key)
{
   int n = snprintf(name, 64, ENVIRONMENT_PREFIX "%s", key);
   for (int i = 0; i < n; i++)
      name[i] = (char)toupper((unsigned char)name[i]);
}

/* In a folder; NULL: there is none. */
static FILE *
open_in(const char *root, const char *folder)
{
   char path[PATH_MAX];
   int n = root && *root ? snprintf(path, sizeof(path), "%s%s/" FILE_NAME, root, folder) : -1;
   return n > 0 && n < PATH_MAX ? fopen(path, "re") : NULL;
}

/* The order is that of the Khronos layers, where Vulkan Configurator's own file comes first. */
static FILE *
open_file(void)
{
   const char *data = getenv("XDG_DATA_HOME");
   FILE *file = data && *data ? open_in(data, CONFIGURATOR) : open_in(getenv("HOME"), "/.local/share" CONFIGURATOR);
   if (file)
      return file;
   const char *path = getenv("VK_LAYER_SETTINGS_PATH");
   if (!path || !*path)
      return fopen(FILE_NAME, "re");
   struct stat status;
   return !stat(path, &status) && S_ISDIR(status.st_mode) ? open_in(path, "") : fopen(path, "re");
}

static char *
trim(char *text)
{
   text += strspn(text, " \t");
   size_t length = strlen(text);
   while (length && isspace((unsigned char)text[length - 1]))
      text[--length] = '\0';
   return text;
}

static int
find_key(const char *key)
{
   for (int i = 0; i < LAYER_SETTING_COUNT; i++) {
      if (!strcasecmp(key, layer_setting_infos[i].key))
         return i;
   }
   return -1;
}

static int
complain_of_key(const char *spelling, FILE *log)
{
   fprintf(log, "hdb: unknown setting %s; settings are", spelling);
   for (int i = 0; i < LAYER_SETTING_COUNT; i++) {
      char name[64];
      environment_name(name, layer_setting_infos[i].key);
      fprintf(log, "%s %s", i ? "," : "", name);
   }
   fputc('\n', log);
   return 1;
}

/* Takes a copy of the value, unless a source of higher rank has set it or it is bad. */
static int
take(struct layer_settings *settings, int setting, const char *spelling, const char *value, FILE *log)
{
   const struct layer_setting_info *info = &layer_setting_infos[setting];
   if (settings->values[setting])
      return 0;
   if (is_valid(info, value)) {
      settings->values[setting] = strdup(value);
      return 0;
   }
   char allowed[256];
   layer_setting_describe(info, allowed, sizeof(allowed));
   fprintf(log, "hdb: %s is '%s'; allowed: %s (using %s)\n", spelling, value, allowed,
           *info->preset ? info->preset : "none");
   settings->values[setting] = strdup(info->preset);
   return 1;
}

static int
read_environment(struct layer_settings *settings, FILE *log)
{
   int bad = 0;
   for (char **variable = environ; *variable; variable++) {
      if (strncmp(*variable, ENVIRONMENT_PREFIX, strlen(ENVIRONMENT_PREFIX)) != 0)
         continue;
      char *equals = strchr(*variable, '=');
      if (!equals)
         continue;
      char name[64];
      snprintf(name, sizeof(name), "%.*s", (int)(equals - *variable), *variable);
      int setting = find_key(name + strlen(ENVIRONMENT_PREFIX));
      bad += setting < 0 ? complain_of_key(name, log) : take(settings, setting, name, equals + 1, log);
   }
   return bad;
}

static int
read_file(struct layer_settings *settings, FILE *log)
{
   FILE *file = open_file();
   if (!file)
      return 0;
   int bad = 0;
   char line[4096];
   while (fgets(line, sizeof(line), file)) {
      line[strcspn(line, "#")] = '\0';
      char *equals = strchr(line, '=');
      if (!equals)
         continue;
      *equals = '\0';
      char *name = trim(line);
      if (strncmp(name, FILE_PREFIX, strlen(FILE_PREFIX)) != 0)
         continue; /* another layer's */
      int setting = find_key(name + strlen(FILE_PREFIX));
      bad += setting < 0 ? complain_of_key(name, log) : take(settings, setting, name, trim(equals + 1), log);
   }
   fclose(file);
   return bad;
}

int
layer_settings_init(struct layer_settings *settings, layer_setting_source application, void *user, FILE *log)
{
   *settings = (struct layer_settings){0};
   int bad = read_environment(settings, log);
   bad += read_file(settings, log);
   const char *key, *value;
   while (application && application(user, &key, &value)) {
      int setting = find_key(key);
      bad += setting < 0 ? complain_of_key(key, log) : take(settings, setting, key, value, log);
   }
   return bad;
}

void
layer_settings_finish(struct layer_settings *settings)
{
   for (int i = 0; i < LAYER_SETTING_COUNT; i++)
      free(settings->values[i]);
   *settings = (struct layer_settings){0};
}

const char *
layer_settings_get(const struct layer_settings *settings, enum layer_setting setting)
{
   const char *value = settings->values[setting] ? settings->values[setting] : layer_setting_infos[setting].preset;
   return *value ? value : NULL;
}

bool
layer_settings_is_given(const struct layer_settings *settings, enum layer_setting setting)
{
   return settings->values[setting];
}

bool
layer_settings_is(const struct layer_settings *settings, enum layer_setting setting, const char *value)
{
   const char *is = layer_settings_get(settings, setting);
   return is && !strcmp(is, value);
}
