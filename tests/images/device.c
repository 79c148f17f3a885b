/* SPDX-License-Identifier: MIT */
#include "device.h"

void
device_open(struct gpu *gpu, const char *driver)
{
   VkPhysicalDeviceComputeShaderDerivativesFeaturesKHR derivatives = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR};
   VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT seams = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT, .pNext = &derivatives};
   VkPhysicalDeviceCustomBorderColorFeaturesEXT borders = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT, .pNext = &seams};
   VkPhysicalDeviceRayQueryFeaturesKHR rays = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR,
                                               .pNext = &borders};
   VkPhysicalDeviceAccelerationStructureFeaturesKHR structures = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, .pNext = &rays};
   const struct gpu_options options = {
      .driver = driver,
      .extensions =
         (const char *const[]){VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME, VK_EXT_NON_SEAMLESS_CUBE_MAP_EXTENSION_NAME,
                               VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME,
                               VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,
                               VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME, VK_KHR_RAY_QUERY_EXTENSION_NAME, NULL},
      .optional = true,
      .features = &structures,
   };
   CHECK(gpu_open(gpu, &options));
}
