/* SPDX-License-Identifier: MIT */
/* vk_layer_settings.txt with anything in it: every setting has a value that it may have, every complaint is a line
 * without control characters, and a file with what is no setting of anybody is not read without one. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../layer/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_value(const struct layer_settings *settings, enum layer_setting setting)
{
   const struct layer_setting_info *info = &layer_setting_infos[setting];
   const char *value = layer_settings_get(settings, setting);
   if (!info->values) {
      assert(!value || info->valid(value));
      return;
   }
   const struct layer_setting_value *allowed = info->values;
   while (allowed->key && strcmp(allowed->key, value) != 0)
      allowed++;
   assert(allowed->key);
}

/* A NUL, or a line that says something and has no `=`; a byte order mark in front of all says nothing. */
static bool
is_damaged(const char *data, size_t size)
{
   bool text = false, equals = false, comment = false;
   size_t start = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
   for (size_t i = start; i <= size; i++) {
      if (i < size && !data[i])
         return true;
      if (i == size || data[i] == '\n') {
         if (text && !equals)
            return true;
         text = equals = comment = false;
      } else {
         comment |= data[i] == '#';
         equals |= !comment && data[i] == '=';
         text |= !comment && (unsigned char)data[i] > ' ' && data[i] != 0x7f;
      }
   }
   return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   char path[64], *said = NULL;
   size_t said_size = 0;
   int file = memfd_create("settings", 0);
   if (file < 0 || write(file, data, size) != (ssize_t)size)
      abort();
   snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
   setenv("XDG_DATA_HOME", "/nonexistent", 1);
   setenv("VK_LAYER_SETTINGS_PATH", path, 1);

   struct layer_settings settings;
   FILE *log = open_memstream(&said, &said_size);
   int bad = layer_settings_init(&settings, NULL, NULL, log);
   fclose(log);
   int lines = 0;
   for (size_t i = 0; i < said_size; i++)
      lines += said[i] == '\n';
   for (size_t i = 0; i < said_size; i++)
      assert(said[i] == '\n' || (unsigned char)said[i] >= ' ');
   assert(lines == bad);
   assert(bad || !is_damaged((const char *)data, size));
   for (int i = 0; i < LAYER_SETTING_COUNT; i++)
      check_value(&settings, (enum layer_setting)i);
   layer_settings_finish(&settings);
   free(said);
   close(file);
   return 0;
}
