/* SPDX-License-Identifier: MIT */
/* Prints the table of settings for script/settings: as the manifest's features.settings, as Markdown, as a man page. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "settings.h"

static void
print_variable(const struct layer_setting_info *info)
{
   fputs("VK_HDB_", stdout);
   for (const char *c = info->key; *c; c++)
      putchar(toupper((unsigned char)*c));
}

static void
print_json_values(const struct layer_setting_value *value)
{
   puts("            \"flags\": [");
   for (; value->key; value++)
      printf("               { \"key\": \"%s\", \"label\": \"%s\", \"description\": \"%s\" }%s\n", value->key,
             value->label, value->description, value[1].key ? "," : "");
   puts("            ],");
}

static void
print_json(const struct layer_setting_info *info, bool last)
{
   printf("         {\n            \"key\": \"%s\",\n            \"env\": \"", info->key);
   print_variable(info);
   printf("\",\n            \"label\": \"%s\",\n            \"description\": \"%s\",\n", info->label,
          info->description);
   printf("            \"type\": \"%s\",\n", info->values ? "ENUM" : "STRING");
   if (info->values)
      print_json_values(info->values);
   printf("            \"default\": \"%s\"\n         }%s\n", info->preset, last ? "" : ",");
}

static void
print_markdown(const struct layer_setting_info *info)
{
   printf("## %s\n\n%s\n\n| | |\n|---|---|\n| environment | `", info->label, info->description);
   print_variable(info);
   printf("` |\n| file | `hdb.%s` |\n", info->key);
   if (!info->values)
      printf("| form | `%s` |\n", info->form);
   for (const struct layer_setting_value *value = info->values; value && value->key; value++)
      printf("| `%s`%s | %s |\n", value->key, strcmp(value->key, info->preset) ? "" : " (default)", value->description);
   putchar('\n');
}

static void
print_man(const struct layer_setting_info *info)
{
   printf(".TP\n.B ");
   print_variable(info);
   printf("\n%s\n", info->description);
   for (const struct layer_setting_value *value = info->values; value && value->key; value++)
      printf(".br\n.BR %s%s\n%s\n", value->key, strcmp(value->key, info->preset) ? " :" : " \" (default):\"",
             value->description);
}

int
main(int argc, char **argv)
{
   for (int i = 0; argc == 2 && i < LAYER_SETTING_COUNT; i++) {
      if (!strcmp(argv[1], "json"))
         print_json(&layer_setting_infos[i], i + 1 == LAYER_SETTING_COUNT);
      else if (!strcmp(argv[1], "markdown"))
         print_markdown(&layer_setting_infos[i]);
      else if (!strcmp(argv[1], "man"))
         print_man(&layer_setting_infos[i]);
      else
         return 2;
   }
   return argc == 2 ? 0 : 2;
}
