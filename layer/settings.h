/* SPDX-License-Identifier: MIT */
/*
 * The layer's settings, without Vulkan types: `hdb run` reads the same table to refuse bad values before the program
 * starts. A setting `key` is looked for as VK_HDB_KEY in the environment, then as `hdb.key = value` in
 * vk_layer_settings.txt (in the working directory or where VK_LAYER_SETTINGS_PATH points), then in what the application
 * gave with VK_EXT_layer_settings. The manifests describe the same keys.
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
   LAYER_SETTING_COUNT
};

struct layer_setting_info {
   const char *key;
   const char *allowed; /* values separated by `|`, or a description of a list's elements */
   const char *preset;
   bool (*valid)(const char *value); /* NULL: one of the allowed values */
};

extern const struct layer_setting_info layer_setting_infos[LAYER_SETTING_COUNT];

/* What the application gave for a key, or NULL. */
typedef const char *(*layer_setting_source)(void *user, const char *key);

struct layer_settings {
   char *values[LAYER_SETTING_COUNT];
};

/* Reads all settings. A bad value or an unknown setting is named in a line on `log` and replaced by the preset; returns
 * how many there were. `application` may be NULL. */
int layer_settings_init(struct layer_settings *settings, layer_setting_source application, void *user, FILE *log);
void layer_settings_finish(struct layer_settings *settings);

/* Lists: NULL if empty. */
const char *layer_settings_get(const struct layer_settings *settings, enum layer_setting setting);
bool layer_settings_is_given(const struct layer_settings *settings, enum layer_setting setting); /* not the preset */
bool layer_settings_is(const struct layer_settings *settings, enum layer_setting setting, const char *value);

#endif
