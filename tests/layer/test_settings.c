/* SPDX-License-Identifier: MIT */
/* The settings table: where values come from, what is refused and how it is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings.h"

#define SETTINGS_FILE "settings-under-test.txt"

static char *said; /* what the last read() logged */
static size_t said_size;

static int
read_settings(struct layer_settings *settings, layer_setting_source source)
{
   free(said);
   FILE *log = open_memstream(&said, &said_size);
   const char *const *next = NULL;
   int bad = layer_settings_init(settings, source, &next, log);
   fclose(log);
   return bad;
}

static void
write_file(const char *text)
{
   FILE *file = fopen(SETTINGS_FILE, "w");
   assert_non_null(file);
   fputs(text, file);
   fclose(file);
   setenv("VK_LAYER_SETTINGS_PATH", SETTINGS_FILE, 1);
}

static int
clean(void **state)
{
   for (int i = 0; i < LAYER_SETTING_COUNT; i++) {
      char name[64];
      int n = snprintf(name, sizeof(name), "VK_HDB_%s", layer_setting_infos[i].key);
      for (int k = 0; k < n; k++)
         name[k] = (char)toupper((unsigned char)name[k]);
      unsetenv(name);
   }
   unsetenv("VK_HDB_COMPIEL");
   unsetenv("VK_LAYER_SETTINGS_PATH");
   setenv("XDG_DATA_HOME", "/nonexistent", 1);
   unlink(SETTINGS_FILE);
   return 0;
}

static void
assert_line_count(size_t count)
{
   size_t lines = 0;
   for (const char *c = said; *c; c++)
      lines += *c == '\n';
   assert_int_equal(lines, count);
}

static void
test_presets(void **state)
{
   struct layer_settings settings;
   assert_int_equal(read_settings(&settings, NULL), 0);
   assert_string_equal(said, "");
   assert_null(layer_settings_get(&settings, LAYER_SETTING_BREAK_AT));
   assert_null(layer_settings_get(&settings, LAYER_SETTING_ATTACH));
   assert_true(layer_settings_is(&settings, LAYER_SETTING_COMPILE, "debug"));
   assert_true(layer_settings_is(&settings, LAYER_SETTING_PROMPT, "auto"));
   assert_true(layer_settings_is(&settings, LAYER_SETTING_LISTEN, "yes"));
   layer_settings_finish(&settings);
}

/* By key and value; the last key is NULL. */
static bool
application(void *user, const char **key, const char **value)
{
   static const char *const given[] = {"attach", "from-the-application", "compile", "optimized", NULL};
   const char *const **next = user;
   if (!*next)
      *next = given;
   if (!**next)
      return false;
   *key = *(*next)++;
   *value = *(*next)++;
   return true;
}

static void
test_environment_beats_file_beats_application(void **state)
{
   struct layer_settings settings;
   setenv("VK_HDB_BREAK_AT", "a.comp:1,dir/b.comp:22", 1);
   write_file("# comment\n"
              "hdb.break_at = c.comp:3\n"
              "hdb.attach = label:blur*, 7   # more\n"
              "khronos_validation.debug_action = hdb\n");
   assert_int_equal(read_settings(&settings, application), 0);
   assert_string_equal(said, "");
   assert_string_equal(layer_settings_get(&settings, LAYER_SETTING_BREAK_AT), "a.comp:1,dir/b.comp:22");
   assert_string_equal(layer_settings_get(&settings, LAYER_SETTING_ATTACH), "label:blur*, 7");
   assert_true(layer_settings_is(&settings, LAYER_SETTING_COMPILE, "optimized"));
   layer_settings_finish(&settings);
}

static void
assert_refused(const char *variable, const char *value, enum layer_setting setting)
{
   struct layer_settings settings;
   setenv(variable, value, 1);
   assert_int_equal(read_settings(&settings, NULL), 1);
   assert_line_count(1);
   assert_non_null(strstr(said, variable));
   assert_non_null(strstr(said, value));
   char allowed[256];
   layer_setting_describe(&layer_setting_infos[setting], allowed, sizeof(allowed));
   assert_non_null(strstr(said, allowed));
   const char *got = layer_settings_get(&settings, setting);
   assert_string_equal(got ? got : "", layer_setting_infos[setting].preset);
   layer_settings_finish(&settings);
   unsetenv(variable);
}

static void
test_bad_values(void **state)
{
   static const char *const bad_lines[] = {"file", "file:",    ":3",      "file:0", "file:x",
                                           "a:1,", "a:1,,b:2", "file:-1", ","};
   for (size_t i = 0; i < sizeof(bad_lines) / sizeof(bad_lines[0]); i++)
      assert_refused("VK_HDB_BREAK_AT", bad_lines[i], LAYER_SETTING_BREAK_AT);
   assert_refused("VK_HDB_ATTACH", "label:", LAYER_SETTING_ATTACH);
   assert_refused("VK_HDB_ATTACH", "a,,b", LAYER_SETTING_ATTACH);
   assert_refused("VK_HDB_COMPILE", "fast", LAYER_SETTING_COMPILE);
   assert_refused("VK_HDB_COMPILE", "debug|optimized", LAYER_SETTING_COMPILE);
   assert_refused("VK_HDB_COMPILE", "", LAYER_SETTING_COMPILE);
   assert_refused("VK_HDB_PROMPT", "yes", LAYER_SETTING_PROMPT);
   assert_refused("VK_HDB_LISTEN", "1", LAYER_SETTING_LISTEN);
   assert_refused("VK_HDB_STOP_KEY", "7", LAYER_SETTING_STOP_KEY);
   assert_refused("VK_HDB_STOP_KEY", "776", LAYER_SETTING_STOP_KEY);
   assert_refused("VK_HDB_CAPTURE_KEY", "999", LAYER_SETTING_CAPTURE_KEY);
   assert_refused("VK_HDB_CAPTURE_KEY", "4294967363", LAYER_SETTING_CAPTURE_KEY);
   assert_refused("VK_HDB_STOP_KEY", "F 10", LAYER_SETTING_STOP_KEY);
}

static void
test_unknown_setting(void **state)
{
   struct layer_settings settings;
   setenv("VK_HDB_COMPIEL", "debug", 1);
   write_file("hdb.break = x.comp:1\n");
   assert_int_equal(read_settings(&settings, NULL), 2);
   assert_line_count(2);
   assert_non_null(strstr(said, "VK_HDB_COMPIEL"));
   assert_non_null(strstr(said, "hdb.break;"));
   assert_non_null(strstr(said, "VK_HDB_COMPILE"));
   layer_settings_finish(&settings);
}

static void
test_bad_value_in_file(void **state)
{
   struct layer_settings settings;
   write_file("hdb.compile = fast\n");
   assert_int_equal(read_settings(&settings, NULL), 1);
   assert_non_null(strstr(said, "hdb.compile is 'fast'"));
   assert_true(layer_settings_is(&settings, LAYER_SETTING_COMPILE, "debug"));
   layer_settings_finish(&settings);
}

/* A byte order mark, as some editors put there, is no part of the first line. */
static void
test_byte_order_mark(void **state)
{
   struct layer_settings settings;
   write_file("\xef\xbb\xbfhdb.compile = optimized\nhdb.listen = no\n");
   assert_int_equal(read_settings(&settings, NULL), 0);
   assert_string_equal(said, "");
   assert_true(layer_settings_is(&settings, LAYER_SETTING_COMPILE, "optimized"));
   assert_true(layer_settings_is(&settings, LAYER_SETTING_LISTEN, "no"));
   layer_settings_finish(&settings);
   write_file("\xef\xbb\xbfhdb.compile = fast\n");
   assert_int_equal(read_settings(&settings, NULL), 1);
   assert_line_count(1);
   assert_non_null(strstr(said, "hdb: hdb.compile is 'fast'"));
   layer_settings_finish(&settings);
}

/* Keys and their prefix are hdb's in any case of letters: nothing that is meant for it goes unread in silence. */
static void
test_case_of_keys(void **state)
{
   struct layer_settings settings;
   write_file("HDB.compile = optimized\nHdb.LISTEN = no\n");
   assert_int_equal(read_settings(&settings, NULL), 0);
   assert_string_equal(said, "");
   assert_true(layer_settings_is(&settings, LAYER_SETTING_COMPILE, "optimized"));
   assert_true(layer_settings_is(&settings, LAYER_SETTING_LISTEN, "no"));
   layer_settings_finish(&settings);
   write_file("HDB.compile = x\n");
   assert_int_equal(read_settings(&settings, NULL), 1);
   assert_line_count(1);
   assert_non_null(strstr(said, "HDB.compile is 'x'"));
   layer_settings_finish(&settings);
}

/* A line that says nothing is named by its number; of those that are nobody's only the first. */
static void
test_bad_lines(void **state)
{
   struct layer_settings settings;
   write_file("\n# comment\n  \njunk\nmore junk\nhdb.\nhdb.compile\nhdb. = x\nhdb.listen = no\n= 3\n");
   assert_int_equal(read_settings(&settings, NULL), 4);
   assert_line_count(4);
   assert_non_null(strstr(said, "line 4 of the settings file is 'junk'"));
   assert_null(strstr(said, "more junk"));
   assert_non_null(strstr(said, "line 6 of the settings file is 'hdb.'"));
   assert_non_null(strstr(said, "line 7 of the settings file is 'hdb.compile'"));
   assert_non_null(strstr(said, "line 8 of the settings file is 'hdb.'"));
   assert_true(layer_settings_is(&settings, LAYER_SETTING_COMPILE, "debug"));
   assert_true(layer_settings_is(&settings, LAYER_SETTING_LISTEN, "no"));
   layer_settings_finish(&settings);
}

/* What it says is shown on a terminal. */
static void
test_control_characters(void **state)
{
   struct layer_settings settings;
   write_file("hdb.\033[31mred = 1\r\nhdb.compile = \033c\r\nhdb.listen = no\r\n");
   assert_int_equal(read_settings(&settings, NULL), 2);
   assert_null(strchr(said, '\033'));
   assert_true(layer_settings_is(&settings, LAYER_SETTING_LISTEN, "no"));
   layer_settings_finish(&settings);
}

static void
assert_not_read(const char *why)
{
   struct layer_settings settings;
   assert_int_equal(read_settings(&settings, NULL), 1);
   assert_line_count(1);
   assert_non_null(strstr(said, SETTINGS_FILE));
   assert_non_null(strstr(said, why));
   assert_true(layer_settings_is(&settings, LAYER_SETTING_LISTEN, "yes"));
   layer_settings_finish(&settings);
   unlink(SETTINGS_FILE);
}

/* Reading them would wait, or never end. An alarm ends the test if it does. */
static void
test_no_regular_file(void **state)
{
   alarm(10);
   setenv("VK_LAYER_SETTINGS_PATH", SETTINGS_FILE, 1);
   assert_int_equal(mkfifo(SETTINGS_FILE, 0600), 0);
   assert_not_read("it is no regular file");
   assert_int_equal(symlink("/dev/zero", SETTINGS_FILE), 0);
   assert_not_read("it is no regular file");
   alarm(0);
}

static void
write_bytes(const char *bytes, size_t size, long at)
{
   FILE *file = fopen(SETTINGS_FILE, "w");
   assert_non_null(file);
   fseek(file, at, SEEK_SET);
   assert_int_equal(fwrite(bytes, 1, size, file), size);
   fclose(file);
}

static void
test_no_text(void **state)
{
   setenv("VK_LAYER_SETTINGS_PATH", SETTINGS_FILE, 1);
   write_bytes("hdb.listen = no\n\0\1\2", 19, 0);
   assert_not_read("it is no text");
   write_bytes("hdb.listen = no\n", 16, 64l << 20);
   assert_not_read("it is larger than a megabyte");
}

/* Of whatever length. */
static void
test_long_line(void **state)
{
   struct layer_settings settings;
   static char text[20000] = "#";
   memset(text + 1, 'x', sizeof(text) - 40);
   strcat(text, "= 1\nhdb.listen = no\n");
   write_file(text);
   assert_int_equal(read_settings(&settings, NULL), 0);
   assert_true(layer_settings_is(&settings, LAYER_SETTING_LISTEN, "no"));
   layer_settings_finish(&settings);
}

/* Vulkan Configurator's file comes before any other. */
static void
test_configurator(void **state)
{
   static const char folder[] = "settings-under-test.d/vulkan/settings.d";
   struct layer_settings settings;
   assert_int_equal(system("mkdir -p settings-under-test.d/vulkan/settings.d"), 0);
   write_file("hdb.attach = elsewhere\nhdb.prompt = never\n");
   char path[128];
   snprintf(path, sizeof(path), "%s/vk_layer_settings.txt", folder);
   assert_int_equal(rename(SETTINGS_FILE, path), 0);
   write_file("hdb.attach = here\n");
   setenv("XDG_DATA_HOME", "settings-under-test.d", 1);
   assert_int_equal(read_settings(&settings, NULL), 0);
   assert_string_equal(layer_settings_get(&settings, LAYER_SETTING_ATTACH), "elsewhere");
   assert_true(layer_settings_is(&settings, LAYER_SETTING_PROMPT, "never"));
   layer_settings_finish(&settings);

   unlink(path);
   assert_int_equal(read_settings(&settings, NULL), 0);
   assert_string_equal(layer_settings_get(&settings, LAYER_SETTING_ATTACH), "here");
   layer_settings_finish(&settings);
   assert_int_equal(system("rm -r settings-under-test.d"), 0);
}

static bool
bad_application(void *user, const char **key, const char **value)
{
   static const char *const given[] = {"no_such_setting", "yes", "listen", "perhaps"};
   const char *const **next = user;
   if (!*next)
      *next = given;
   if (*next == given + 4)
      return false;
   *key = *(*next)++;
   *value = *(*next)++;
   return true;
}

static void
test_bad_application(void **state)
{
   struct layer_settings settings;
   assert_int_equal(read_settings(&settings, bad_application), 2);
   assert_line_count(2);
   assert_non_null(strstr(said, "no_such_setting"));
   assert_non_null(strstr(said, "perhaps"));
   assert_true(layer_settings_is(&settings, LAYER_SETTING_LISTEN, "yes"));
   layer_settings_finish(&settings);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_presets, clean),
      cmocka_unit_test_setup(test_environment_beats_file_beats_application, clean),
      cmocka_unit_test_setup(test_bad_values, clean),
      cmocka_unit_test_setup(test_unknown_setting, clean),
      cmocka_unit_test_setup(test_bad_value_in_file, clean),
      cmocka_unit_test_setup(test_byte_order_mark, clean),
      cmocka_unit_test_setup(test_case_of_keys, clean),
      cmocka_unit_test_setup(test_bad_lines, clean),
      cmocka_unit_test_setup(test_control_characters, clean),
      cmocka_unit_test_setup(test_no_regular_file, clean),
      cmocka_unit_test_setup(test_no_text, clean),
      cmocka_unit_test_setup(test_long_line, clean),
      cmocka_unit_test_setup(test_configurator, clean),
      cmocka_unit_test_setup(test_bad_application, clean),
   };
   return cmocka_run_group_tests(tests, clean, clean);
}
