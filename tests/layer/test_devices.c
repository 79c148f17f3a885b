/* SPDX-License-Identifier: MIT */
/* Which physical devices the application sees, on a made-up machine with two cards, one of which hdb reports as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "layer.h"

#define DEVICES 5

atomic_bool layer_inert; /* process.c's */

static const struct machine_device {
   const char *name, *driver_info;
   uint32_t pci_bus; /* 0: no VK_EXT_pci_bus_info */
} machine[DEVICES] = {
   {"Stock 7900 XTX", "Mesa 25.0.7", 3},
   {"Other card", "550.1", 4},
   {"llvmpipe", "Mesa 25.0.7", 0},
   {"Stock 7900 XTX", "Mesa 25.0.7 (hdb)", 3},
   {"hdb virtual gfx1100 (RADV NAVI31)", "Mesa 25.0.7 (hdb)", 0xff},
};
enum { STOCK = 1 << 0, OTHER = 1 << 1, LAVAPIPE = 1 << 2, FORK = 1 << 3, VIRTUAL = 1 << 4 };

static const struct machine_device *
device_of(VkPhysicalDevice handle)
{
   return (const struct machine_device *)(const void *)handle;
}

static VKAPI_ATTR VkResult VKAPI_CALL
EnumeratePhysicalDevices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
   for (uint32_t i = 0; devices && i < *count; i++)
      devices[i] = (VkPhysicalDevice)(uintptr_t)&machine[i];
   *count = DEVICES;
   return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
EnumeratePhysicalDeviceGroups(VkInstance instance, uint32_t *count, VkPhysicalDeviceGroupProperties *groups)
{
   for (uint32_t i = 0; groups && i < *count; i++) {
      assert_int_equal(groups[i].sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES);
      groups[i].physicalDeviceCount = 1;
      groups[i].physicalDevices[0] = (VkPhysicalDevice)(uintptr_t)&machine[i];
   }
   *count = DEVICES;
   return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char *layer, uint32_t *count,
                                   VkExtensionProperties *extensions)
{
   static const char *const names[] = {"VK_KHR_swapchain", VK_EXT_PCI_BUS_INFO_EXTENSION_NAME};
   uint32_t have = device_of(device)->pci_bus ? 2 : 1;
   for (uint32_t i = 0; extensions && i < *count; i++)
      snprintf(extensions[i].extensionName, sizeof(extensions[i].extensionName), "%s", names[i]);
   *count = have;
   return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
GetPhysicalDeviceProperties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *properties)
{
   const struct machine_device *device = device_of(handle);
   snprintf(properties->properties.deviceName, sizeof(properties->properties.deviceName), "%s", device->name);
   for (VkBaseOutStructure *next = properties->pNext; next; next = next->pNext) {
      if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
         VkPhysicalDeviceDriverProperties *driver = (void *)next;
         snprintf(driver->driverInfo, sizeof(driver->driverInfo), "%s", device->driver_info);
      } else {
         assert_int_equal(next->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
         assert_int_not_equal(device->pci_bus, 0);
         ((VkPhysicalDevicePCIBusInfoPropertiesEXT *)(void *)next)->pciBus = device->pci_bus;
      }
   }
}

/* As the loader answers for an instance of Vulkan 1.0. */
static VKAPI_ATTR void VKAPI_CALL
get_names_only(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *properties)
{
   snprintf(properties->properties.deviceName, sizeof(properties->properties.deviceName), "%s",
            device_of(handle)->name);
}

static struct layer_instance instance = {
   .next =
      {
         .EnumeratePhysicalDevices = EnumeratePhysicalDevices,
         .EnumeratePhysicalDeviceGroups = EnumeratePhysicalDeviceGroups,
         .EnumerateDeviceExtensionProperties = EnumerateDeviceExtensionProperties,
         .GetPhysicalDeviceProperties2 = GetPhysicalDeviceProperties2,
      },
};

static unsigned
seen_devices(void)
{
   VkPhysicalDevice devices[DEVICES];
   uint32_t count = 0, again = DEVICES;
   unsigned seen = 0;
   assert_int_equal(layer_enumerate_devices(&instance, &count, NULL), VK_SUCCESS);
   assert_int_equal(layer_enumerate_devices(&instance, &again, devices), VK_SUCCESS);
   assert_int_equal(count, again);
   for (uint32_t i = 0; i < count; i++)
      seen |= 1u << (device_of(devices[i]) - machine);
   return seen;
}

static unsigned
seen_groups(void)
{
   VkPhysicalDeviceGroupProperties groups[DEVICES];
   uint32_t count = DEVICES;
   unsigned seen = 0;
   assert_int_equal(layer_enumerate_device_groups(&instance, &count, groups), VK_SUCCESS);
   for (uint32_t i = 0; i < count; i++)
      seen |= 1u << (device_of(groups[i].physicalDevices[0]) - machine);
   return seen;
}

static void
assert_seen(const char *gpu, unsigned expected)
{
   if (gpu)
      setenv("HDB_GPU", gpu, 1);
   else
      unsetenv("HDB_GPU");
   assert_int_equal(seen_devices(), expected);
   assert_int_equal(seen_groups(), expected);
}

static void
test_choice(void **state)
{
   assert_seen(NULL, OTHER | LAVAPIPE | FORK | VIRTUAL);
   assert_seen("virtual", VIRTUAL);
   assert_seen("amdgpu", OTHER | LAVAPIPE | FORK);
   assert_seen("nonsense", OTHER | LAVAPIPE | FORK | VIRTUAL);
}

static void
test_old_instance(void **state)
{
   /* Vulkan 1.0 without VK_KHR_get_physical_device_properties2: no telling them apart. */
   instance.next.GetPhysicalDeviceProperties2 = NULL;
   assert_seen("virtual", STOCK | OTHER | LAVAPIPE | FORK | VIRTUAL);
   instance.next.GetPhysicalDeviceProperties2 = get_names_only;
   assert_seen("virtual", VIRTUAL);
   assert_seen("amdgpu", STOCK | OTHER | LAVAPIPE | FORK);
   instance.next.GetPhysicalDeviceProperties2 = GetPhysicalDeviceProperties2;
}

static void
test_short_array(void **state)
{
   VkPhysicalDevice devices[DEVICES] = {0};
   VkPhysicalDeviceGroupProperties groups[DEVICES];
   uint32_t count = 2;
   unsetenv("HDB_GPU");
   assert_int_equal(layer_enumerate_devices(&instance, &count, devices), VK_INCOMPLETE);
   assert_int_equal(count, 2);
   assert_null(devices[2]);
   assert_int_equal(layer_enumerate_device_groups(&instance, &count, groups), VK_INCOMPLETE);
   assert_int_equal(count, 2);
   count = 0;
   assert_int_equal(layer_enumerate_devices(&instance, &count, devices), VK_INCOMPLETE);
   count = 4;
   assert_int_equal(layer_enumerate_devices(&instance, &count, devices), VK_SUCCESS);
   assert_int_equal(count, 4);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_choice),
      cmocka_unit_test(test_old_instance),
      cmocka_unit_test(test_short_array),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
