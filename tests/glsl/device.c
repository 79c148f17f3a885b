/* SPDX-License-Identifier: MIT */
#include "device.h"

void
device_open(struct gpu *gpu, bool compile_debug)
{
   VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
   VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT, .pNext = &atomic_float};
   VkPhysicalDeviceShaderClockFeaturesKHR clock = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,
                                                   .pNext = &atomic_float2};
   VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicit_layout = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, .pNext = &clock};
   const struct gpu_options options = {
      .extensions =
         (const char *const[]){
            VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
            VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME,
            VK_KHR_SHADER_CLOCK_EXTENSION_NAME,
            VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME,
            VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME,
            VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME,
            VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME,
            NULL,
         },
      .optional = true,
      .features = &explicit_layout,
      .linked = compile_debug,
      .compile_debug = compile_debug,
   };
   CHECK(gpu_open(gpu, &options));
   if (compile_debug && !gpu->hdb) {
      fprintf(stderr, "the driver cannot compile for debugging\n");
      exit(1);
   }
}
