/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings.h"

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

/* What stands where `hdb.key = value` is expected. A line without `=` is nobody's; the first of them is named, as a
 * file that is no settings file at all has many. */
static int
complain_of_line(const char *name, unsigned number, bool ours, bool *said, FILE *log)
{
   if (!ours && *said)
      return 0;
   *said |= !ours;
   fprintf(log, "hdb: line %u of the settings file is '%.40s': KEY = VALUE expected\n", number, name);
   return 1;
}

static int
read_line(struct layer_settings *settings, char *line, unsigned number, bool *said, FILE *log)
{
   line[strcspn(line, "#")] = '\0';
   char *equals = strchr(line, '=');
   if (equals)
      *equals = '\0';
   char *name = trim(line);
   bool ours = strncasecmp(name, FILE_PREFIX, strlen(FILE_PREFIX)) == 0;
   if (!equals ? *name : ours && !name[strlen(FILE_PREFIX)])
      return complain_of_line(name, number, ours, said, log);
   if (!ours) /* another layer's, or empty */
      return 0;
   int setting = find_key(name + strlen(FILE_PREFIX));
   return setting < 0 ? complain_of_key(name, log) : take(settings, setting, name, trim(equals + 1), log);
}

/* Control characters mean nothing in a setting, but something on the terminal that a complaint is shown on. */
static void
replace_controls(char *text)
{
   for (; *text; text++) {
      if (strchr("\t\r\v\f", *text))
         *text = ' ';
      else if (((unsigned char)*text < ' ' && *text != '\n') || *text == 0x7f)
         *text = '?';
   }
}

static int
read_file(struct layer_settings *settings, FILE *log)
{
   int bad = 0;
   char *text = layer_settings_read_file(log, &bad), *rest = text, *line;
   bool said = false;
   if (text)
      replace_controls(text);
   if (text && strncmp(text, "\xef\xbb\xbf", 3) == 0) /* a byte order mark, as editors put there */
      rest += 3;
   for (unsigned number = 1; rest && (line = strsep(&rest, "\n")); number++)
      bad += read_line(settings, line, number, &said, log);
   free(text);
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
