/* SPDX-License-Identifier: MIT */
/*
 * The layer's settings, without Vulkan types. A setting `key` is looked for as VK_HDB_KEY in the environment, then as
 * `hdb.key = value` in vk_layer_settings.txt (where Vulkan Configurator puts it, where VK_LAYER_SETTINGS_PATH points,
 * or in the working directory), then in what the application gave with VK_EXT_layer_settings. settings_table.c has them
 * all; the manifest, docs/settings.md and the man page are made from it by script/settings.
 */
#ifndef LAYER_SETTINGS_H
#define LAYER_SETTINGS_H

#include <stdbool.h>
#include <stdio.h>

enum layer_setting {
   LAYER_SETTING_BREAK_AT,
   LAYER_SETTING_ATTACH,
   LAYER_SETTING_INTERNAL,
   LAYER_SETTING_COMPILE,
   LAYER_SETTING_PROMPT,
   LAYER_SETTING_LISTEN,
   LAYER_SETTING_SHORT_TIMEOUT,
   LAYER_SETTING_ENTRY,
   LAYER_SETTING_FRAME_SUBMITS,
   LAYER_SETTING_STOP_KEY,
   LAYER_SETTING_CAPTURE_KEY,
   LAYER_SETTING_CAPTURE_FOLDER,
   LAYER_SETTING_COUNT
};

struct layer_setting_value {
   const char *key; /* NULL: the end of the list */
   const char *label, *description;
};

struct layer_setting_info {
   const char *key;
   const char *label; /* in Vulkan Configurator */
   const char *description;
   const struct layer_setting_value *values; /* those that it may have, or NULL: */
   const char *form;                         /* what a value that is not empty looks like */
   bool (*valid)(const char *value);
   const char *preset;
};

/* "debug|optimized" or the form, of at most `size` bytes. */
void layer_setting_describe(const struct layer_setting_info *info, char *text, size_t size);

extern const struct layer_setting_info layer_setting_infos[LAYER_SETTING_COUNT];

/* What the application gave, one after the other: true, a key and a value that stays until the next call, or false. */
typedef bool (*layer_setting_source)(void *user, const char **key, const char **value);

struct layer_settings {
   char *values[LAYER_SETTING_COUNT];
};

/* settings_file.c: the text of vk_layer_settings.txt, to be freed. NULL: there is none, or it is not read, which a line
 * on `log` says and *bad counts. */
char *layer_settings_read_file(FILE *log, int *bad);

/* Reads all settings. A bad value or an unknown setting is named in a line on `log` and replaced by the preset; returns
 * how many there were. `application` may be NULL. */
int layer_settings_init(struct layer_settings *settings, layer_setting_source application, void *user, FILE *log);
void layer_settings_finish(struct layer_settings *settings);

/* Lists: NULL if empty. */
const char *layer_settings_get(const struct layer_settings *settings, enum layer_setting setting);
bool layer_settings_is_given(const struct layer_settings *settings, enum layer_setting setting); /* not the preset */
bool layer_settings_is(const struct layer_settings *settings, enum layer_setting setting, const char *value);

#endif
