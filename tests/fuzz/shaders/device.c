/* SPDX-License-Identifier: MIT */
#include "device.h"

void
device_open(struct gpu *gpu, const char *driver, bool debug)
{
   VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomics2 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT};
   VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomics = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, .pNext = &atomics2};
   const struct gpu_options options = {
      .driver = driver,
      .extensions = (const char *const[]){VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
                                          VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME, NULL},
      .optional = true,
      .features = &atomics,
      .linked = true,
      .compile_debug = debug,
   };
   CHECK(gpu_open(gpu, &options));
}
