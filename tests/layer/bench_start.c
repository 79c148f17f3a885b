/* SPDX-License-Identifier: MIT */
/*
 * What a first device costs: milliseconds from vkCreateInstance on (which loads the driver) and of vkCreateDevice
 * alone, and what of the whole process is resident afterwards, in MiB.
 */
#include <stdio.h>
#include <time.h>

#include <vulkan/vulkan.h>

static double
now_ms(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static double
resident_mib(void)
{
   char line[128];
   double kib = 0;
   FILE *status = fopen("/proc/self/status", "r");
   while (status && fgets(line, sizeof(line), status))
      sscanf(line, "VmRSS: %lf kB", &kib);
   if (status)
      fclose(status);
   return kib / 1024;
}

int
main(void)
{
   VkInstance instance;
   VkPhysicalDevice physical_device;
   VkDevice device;
   uint32_t count = 1;
   float priority = 1;
   double start = now_ms();
   VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
   if (vkCreateInstance(&instance_info, NULL, &instance) != VK_SUCCESS)
      return 2;
   if (vkEnumeratePhysicalDevices(instance, &count, &physical_device) < 0 || count == 0)
      return 2;

   double before_device = now_ms();
   VkDeviceQueueCreateInfo queue_info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueCount = 1,
      .pQueuePriorities = &priority,
   };
   VkDeviceCreateInfo device_info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queue_info,
   };
   if (vkCreateDevice(physical_device, &device_info, NULL, &device) != VK_SUCCESS)
      return 2;
   double end = now_ms();
   printf("{\"ms\": %.2f, \"ms_device\": %.2f, \"mib_resident\": %.1f}\n", end - start, end - before_device,
          resident_mib());
   vkDestroyDevice(device, NULL);
   vkDestroyInstance(instance, NULL);
   return 0;
}
