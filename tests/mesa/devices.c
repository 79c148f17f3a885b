/* SPDX-License-Identifier: MIT */
/* The fork reports no device unless hdb is wanted, and what it reports says what it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver.h"

static const char *const want_variables[] = {
   "HDB_ENABLE",
   "HDB_GPU",
   "VK_INSTANCE_LAYERS",
   "VK_LOADER_LAYERS_ENABLE",
};

static uint32_t
count_devices(const char *variable, const char *value)
{
   for (size_t i = 0; i < sizeof(want_variables) / sizeof(want_variables[0]); i++)
      unsetenv(want_variables[i]);
   if (variable)
      setenv(variable, value, 1);

   struct driver driver;
   driver_open(&driver, driver_fork_path());
   const uint32_t count = driver_count_devices(&driver);
   driver_close(&driver);
   return count;
}

static void
no_device_unless_wanted(void **state)
{
   assert_int_equal(count_devices(NULL, NULL), 0);
   assert_int_equal(count_devices("HDB_ENABLE", ""), 0);
   assert_int_equal(count_devices("HDB_ENABLE", "0"), 0);
   assert_int_equal(count_devices("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation"), 0);
   assert_int_equal(count_devices("VK_INSTANCE_LAYERS", "VK_LAYER_hdbx:VK_LAYER_hd"), 0);
   assert_int_equal(count_devices("VK_LOADER_LAYERS_ENABLE", "*validation,*MESA*"), 0);
}

static void
a_device_when_wanted(void **state)
{
   assert_int_equal(count_devices("HDB_ENABLE", "1"), 1);
   assert_int_equal(count_devices("HDB_GPU", "amdgpu"), 1);
   assert_int_equal(count_devices("VK_INSTANCE_LAYERS", "VK_LAYER_hdb"), 1);
   assert_int_equal(count_devices("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation:VK_LAYER_hdb"), 1);
   assert_int_equal(count_devices("VK_LOADER_LAYERS_ENABLE", "VK_LAYER_hdb"), 1);
   assert_int_equal(count_devices("VK_LOADER_LAYERS_ENABLE", "*validation,*HDB"), 1);
   assert_int_equal(count_devices("VK_LOADER_LAYERS_ENABLE", "~all~"), 1);
}

static void
driver_info_names_the_fork(void **state)
{
   setenv("HDB_ENABLE", "1", 1);
   struct driver driver;
   driver_open(&driver, driver_fork_path());

   VkPhysicalDeviceDriverProperties info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &info};
   driver.GetPhysicalDeviceProperties2(driver_first_device(&driver), &properties);
   assert_string_equal(info.driverName, "radv");
   assert_non_null(strstr(info.driverInfo, "(hdb)"));
   driver_close(&driver);
}

int
main(void)
{
   if (!driver_fork_path())
      return 77;

   /* A card without hardware: this is about who may see one. */
   setenv("RADV_FORCE_FAMILY", "navi31", 1);

   const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_device_unless_wanted),
      cmocka_unit_test(a_device_when_wanted),
      cmocka_unit_test(driver_info_names_the_fork),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
