/* SPDX-License-Identifier: MIT */
/*
 * Which manifests and variables load the layer: never more than once. The manifests are made from the real one, with
 * the library that takes notes. Each case is a process of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "fake_core.h"

enum {
   EXPLICIT = 1 << 0, /* manifests that the loader can find */
   IMPLICIT = 1 << 1,
   NAMED = 1 << 2, /* VK_INSTANCE_LAYERS=VK_LAYER_hdb */
   ENABLE = 1 << 3,
   DISABLE = 1 << 4
};

/* How often the layer stands in a device's chain. */
static int
count_loads(void)
{
   char *arguments[] = {"manifests", NULL};
   struct sample sample;
   int fds[2];
   char number[16];
   if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds))
      return -1;
   snprintf(number, sizeof(number), "%d", fds[0]);
   setenv("HDB_CLIENT_FD", number, 1);
   sample_init(&sample, "manifests", 1, 1, arguments);
   struct fake_notes notes = {0};
   void *layer = dlopen(getenv("FAKE_LAYER"), RTLD_NOW | RTLD_NOLOAD);
   if (layer) {
      void (*get_notes)(struct fake_notes *) = (void (*)(struct fake_notes *))dlsym(layer, "fake_core_notes");
      get_notes(&notes);
   }
   sample_finish(&sample);
   return (int)notes.devices;
}

/* As VK_EXT_layer_settings is to be used: enabled, where the layer has it. */
static int
enable_settings_extension(void)
{
   const char *extension = "VK_EXT_layer_settings";
   VkExtensionProperties found;
   uint32_t count = 1;
   setenv("VK_LOADER_DISABLE_INST_EXT_FILTER", "1",
          1); /* loaders older than the extension refuse what they don't know */
   if (vkEnumerateInstanceExtensionProperties("VK_LAYER_hdb", &count, &found) || count != 1 ||
       strcmp(found.extensionName, extension) != 0)
      return 0;
   VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                .enabledExtensionCount = 1,
                                .ppEnabledExtensionNames = &extension};
   VkInstance instance;
   if (vkCreateInstance(&info, NULL, &instance))
      return 0;
   vkDestroyInstance(instance, NULL);
   return 1;
}

static int
run_with(unsigned flags, int (*function)(void))
{
   pid_t child = fork();
   if (child == 0) {
      setenv("VK_LAYER_PATH", flags & EXPLICIT ? getenv("EXPLICIT_DIR") : "/nonexistent", 1);
      setenv("XDG_DATA_HOME", flags & IMPLICIT ? getenv("IMPLICIT_DATA_HOME") : "/nonexistent", 1);
      if (flags & NAMED)
         setenv("VK_INSTANCE_LAYERS", "VK_LAYER_hdb", 1);
      if (flags & ENABLE)
         setenv("HDB_ENABLE", "1", 1);
      if (flags & DISABLE)
         setenv("HDB_DISABLE", "1", 1);
      _exit(function() & 0xff);
   }
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFEXITED(status));
   return WEXITSTATUS(status);
}

static int
count_loads_with(unsigned flags)
{
   return run_with(flags, count_loads);
}

static void
test_explicit_only(void **state)
{
   assert_int_equal(count_loads_with(EXPLICIT), 0);
   assert_int_equal(count_loads_with(EXPLICIT | NAMED), 1);
   assert_int_equal(count_loads_with(EXPLICIT | ENABLE), 0);
}

static void
test_implicit_only(void **state)
{
   assert_int_equal(count_loads_with(IMPLICIT), 0);
   assert_int_equal(count_loads_with(IMPLICIT | ENABLE), 1);
   assert_int_equal(count_loads_with(IMPLICIT | ENABLE | NAMED), 1);
}

static void
test_both(void **state)
{
   assert_int_equal(count_loads_with(EXPLICIT | IMPLICIT), 0);
   assert_int_equal(count_loads_with(EXPLICIT | IMPLICIT | NAMED), 1);
   assert_int_equal(count_loads_with(EXPLICIT | IMPLICIT | ENABLE), 1);
   assert_int_equal(count_loads_with(EXPLICIT | IMPLICIT | NAMED | ENABLE), 1);
}

static void
test_disable(void **state)
{
   assert_int_equal(count_loads_with(IMPLICIT | DISABLE), 0);
   assert_int_equal(count_loads_with(IMPLICIT | ENABLE | DISABLE), 0);
   assert_int_equal(count_loads_with(EXPLICIT | IMPLICIT | ENABLE | DISABLE), 0);
}

static void
test_settings_extension(void **state)
{
   assert_int_equal(run_with(EXPLICIT | NAMED, enable_settings_extension), 1);
   assert_int_equal(run_with(IMPLICIT | ENABLE, enable_settings_extension), 1);
   assert_int_equal(run_with(0, enable_settings_extension), 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_explicit_only), cmocka_unit_test(test_implicit_only),      cmocka_unit_test(test_both),
      cmocka_unit_test(test_disable),       cmocka_unit_test(test_settings_extension),
   };
   unsetenv("VK_INSTANCE_LAYERS");
   unsetenv("VK_LOADER_LAYERS_ENABLE");
   unsetenv("VK_ADD_LAYER_PATH");
   unsetenv("HDB_ENABLE");
   unsetenv("HDB_DISABLE");
   return cmocka_run_group_tests(tests, NULL, NULL);
}
