/* SPDX-License-Identifier: MIT */
/*
 * Which physical devices the application sees. With HDB_GPU=virtual, only the virtual GPU; with HDB_GPU=amdgpu, all but
 * it. In any case a card that both the distribution's RADV and hdb's report (same PCI address) is shown once, as hdb's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer.h"

struct candidate {
   VkPhysicalDevice handle;
   bool ours, is_virtual;
   bool has_pci_address;
   VkPhysicalDevicePCIBusInfoPropertiesEXT pci;
   bool hidden;
};

struct candidates {
   struct candidate *devices;
   uint32_t count;
};

static bool
has_prefix(const char *text, const char *prefix)
{
   return !strncmp(text, prefix, strlen(prefix));
}

static bool
has_pci_bus_info(struct layer_instance *instance, VkPhysicalDevice device)
{
   uint32_t count = 0;
   if (instance->next.EnumerateDeviceExtensionProperties(device, NULL, &count, NULL) != VK_SUCCESS || !count)
      return false;
   VkExtensionProperties *extensions = calloc(count, sizeof(*extensions));
   bool found = false;
   if (extensions && instance->next.EnumerateDeviceExtensionProperties(device, NULL, &count, extensions) >= 0) {
      for (uint32_t i = 0; i < count && !found; i++)
         found = !strcmp(extensions[i].extensionName, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
   }
   free(extensions);
   return found;
}

static void
describe(struct layer_instance *instance, struct candidate *candidate)
{
   if (!instance->next.GetPhysicalDeviceProperties2)
      return;
   candidate->has_pci_address = has_pci_bus_info(instance, candidate->handle);
   candidate->pci = (VkPhysicalDevicePCIBusInfoPropertiesEXT){
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT,
   };
   VkPhysicalDeviceDriverProperties driver = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
      .pNext = candidate->has_pci_address ? &candidate->pci : NULL,
   };
   VkPhysicalDeviceProperties2 properties = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
      .pNext = &driver,
   };
   instance->next.GetPhysicalDeviceProperties2(candidate->handle, &properties);
   /* In an instance of Vulkan 1.0 the loader does not pass the question on: the name tells at least the virtual GPU. */
   bool is_named = has_prefix(properties.properties.deviceName, HDB_VIRTUAL_DEVICE_PREFIX);
   bool answered = *driver.driverInfo;
   candidate->has_pci_address &= answered;
   candidate->ours = answered ? strstr(driver.driverInfo, HDB_DRIVER_INFO_MARK) != NULL : is_named;
   candidate->is_virtual = candidate->ours && is_named;
}

bool
layer_device_is_ours(struct layer_instance *instance, VkPhysicalDevice device)
{
   struct candidate candidate = {.handle = device};
   describe(instance, &candidate);
   return candidate.ours;
}

static bool
same_address(const struct candidate *a, const struct candidate *b)
{
   return a->has_pci_address && b->has_pci_address && a->pci.pciDomain == b->pci.pciDomain &&
          a->pci.pciBus == b->pci.pciBus && a->pci.pciDevice == b->pci.pciDevice &&
          a->pci.pciFunction == b->pci.pciFunction;
}

static atomic_bool had_virtual; /* this process, or the one that it was forked from */

static void
choose(struct candidates *candidates)
{
   const char *gpu = getenv("HDB_GPU");
   bool have_virtual = false;
   for (uint32_t i = 0; i < candidates->count; i++)
      have_virtual |= candidates->devices[i].is_virtual;
   if (have_virtual)
      had_virtual = true;
   for (uint32_t i = 0; i < candidates->count; i++) {
      struct candidate *candidate = &candidates->devices[i];
      if (gpu && !strcmp(gpu, "virtual"))
         candidate->hidden = have_virtual && !candidate->is_virtual;
      else if (gpu && !strcmp(gpu, "amdgpu"))
         candidate->hidden = candidate->is_virtual;
      for (uint32_t k = 0; k < candidates->count && !candidate->ours; k++) {
         if (candidates->devices[k].ours && same_address(candidate, &candidates->devices[k]))
            candidate->hidden = true;
      }
   }
}

/* The application only sees that there is no device, or gets another one than hdb was asked for. */
static void
explain_absence(const struct candidates *candidates)
{
   static atomic_flag said = ATOMIC_FLAG_INIT;
   const char *gpu = getenv("HDB_GPU");
   bool wants_virtual = gpu && !strcmp(gpu, "virtual"), wants_other = gpu && *gpu && !wants_virtual;
   for (uint32_t i = 0; i < candidates->count; i++) {
      if (candidates->devices[i].ours && !candidates->devices[i].hidden)
         return;
   }
   /* Of devices that other drivers have, the message is left to the time when one of them is used. */
   if ((!wants_other && candidates->count) || atomic_flag_test_and_set(&said))
      return;
   if (layer_inert && had_virtual)
      fprintf(stderr,
              "hdb: process %d was forked from one that has the virtual GPU open, and can't open it again; a program "
              "that it executes can\n",
              (int)getpid());
   else if (wants_virtual)
      fprintf(stderr, "hdb: HDB_GPU is 'virtual', but hdb's driver, which brings the virtual GPU, is not loaded; "
                      "`eval \"$(script/env)\"` names it\n");
   else
      fprintf(stderr,
              "hdb: no Radeon card is found that hdb's driver supports%s%s%s; HDB_GPU=virtual or "
              "`hdb run --gpu virtual` uses the built-in GPU\n",
              wants_other ? ", and HDB_GPU is '" : "", wants_other ? gpu : "", wants_other ? "'" : "");
}

static VkResult
find_candidates(struct layer_instance *instance, struct candidates *candidates)
{
   VkPhysicalDevice *handles = NULL;
   VkResult result;
   *candidates = (struct candidates){0};
   do {
      uint32_t count;
      result = instance->next.EnumeratePhysicalDevices(instance->handle, &count, NULL);
      if (result != VK_SUCCESS || !count)
         break;
      free(handles);
      free(candidates->devices);
      handles = calloc(count, sizeof(*handles));
      candidates->devices = calloc(count, sizeof(*candidates->devices));
      if (!handles || !candidates->devices) {
         result = VK_ERROR_OUT_OF_HOST_MEMORY;
         break;
      }
      result = instance->next.EnumeratePhysicalDevices(instance->handle, &count, handles);
      candidates->count = count;
   } while (result == VK_INCOMPLETE); /* one was plugged in meanwhile */
   if (result != VK_SUCCESS) {
      free(candidates->devices);
      *candidates = (struct candidates){0};
   }
   for (uint32_t i = 0; i < candidates->count; i++) {
      candidates->devices[i].handle = handles[i];
      describe(instance, &candidates->devices[i]);
   }
   choose(candidates);
   explain_absence(candidates);
   free(handles);
   return result;
}

VkResult
layer_enumerate_devices(struct layer_instance *instance, uint32_t *count, VkPhysicalDevice *devices)
{
   struct candidates candidates;
   VkResult result = find_candidates(instance, &candidates);
   if (result != VK_SUCCESS)
      return result;
   uint32_t shown = 0;
   for (uint32_t i = 0; i < candidates.count; i++) {
      if (candidates.devices[i].hidden)
         continue;
      if (devices && shown == *count) {
         result = VK_INCOMPLETE;
         break;
      }
      if (devices)
         devices[shown] = candidates.devices[i].handle;
      shown++;
   }
   *count = shown;
   free(candidates.devices);
   return result;
}

static bool
is_hidden(const struct candidates *candidates, const VkPhysicalDeviceGroupProperties *group)
{
   for (uint32_t i = 0; i < candidates->count; i++) {
      for (uint32_t k = 0; k < group->physicalDeviceCount; k++) {
         if (candidates->devices[i].hidden && candidates->devices[i].handle == group->physicalDevices[k])
            return true;
      }
   }
   return false;
}

VkResult
layer_enumerate_device_groups(struct layer_instance *instance, uint32_t *count, VkPhysicalDeviceGroupProperties *groups)
{
   PFN_vkEnumeratePhysicalDeviceGroups next = instance->next.EnumeratePhysicalDeviceGroups;
   struct candidates candidates;
   VkPhysicalDeviceGroupProperties *all = NULL;
   uint32_t all_count = 0;
   VkResult result = find_candidates(instance, &candidates);
   if (result == VK_SUCCESS)
      result = next(instance->handle, &all_count, NULL);
   if (result == VK_SUCCESS && all_count) {
      all = calloc(all_count, sizeof(*all));
      for (uint32_t i = 0; all && i < all_count; i++)
         all[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
      result = all ? next(instance->handle, &all_count, all) : VK_ERROR_OUT_OF_HOST_MEMORY;
   }
   if (result >= 0) {
      uint32_t shown = 0;
      for (uint32_t i = 0; i < all_count; i++) {
         if (is_hidden(&candidates, &all[i]))
            continue;
         if (groups && shown == *count) {
            result = VK_INCOMPLETE;
            break;
         }
         if (groups) { /* the application's pNext chain stays as it is */
            groups[shown].physicalDeviceCount = all[i].physicalDeviceCount;
            memcpy(groups[shown].physicalDevices, all[i].physicalDevices, sizeof(all[i].physicalDevices));
            groups[shown].subsetAllocation = all[i].subsetAllocation;
         }
         shown++;
      }
      *count = shown;
   }
   free(all);
   free(candidates.devices);
   return result;
}
