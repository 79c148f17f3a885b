/* SPDX-License-Identifier: MIT */
/* VK_KHR_cooperative_matrix: c = a * b + c with small integers, which is exact, for both sizes of subgroups. */
#include "gpu.h"
#include "set.h"
#include "test.h"

enum { N = 16 };

/* Of an integer of 11 bits, IEEE 754 binary16: sign 15, exponent 14:10 (bias 15), fraction 9:0. */
static uint16_t
half(int value)
{
   if (!value)
      return 0;
   const uint16_t sign = value < 0 ? 0x8000 : 0;
   const uint32_t magnitude = value < 0 ? -value : value;
   const uint32_t exponent = 31 - __builtin_clz(magnitude);
   return sign | (exponent + 15) << 10 | (magnitude << (10 - exponent) & 0x3ff);
}

static int
element_a(int row, int column)
{
   return (row * 7 + column * 3) % 11 - 5;
}

static int
element_b(int row, int column)
{
   return (row * 5 + column * 13) % 9 - 4;
}

static int
element_c(int row, int column)
{
   return row * 100 + column;
}

static VkPipeline
create_pipeline(struct gpu *gpu, VkPipelineLayout layout, uint32_t lanes)
{
   const VkSpecializationMapEntry entry = {.constantID = 0, .size = sizeof(lanes)};
   const VkSpecializationInfo constants = {1, &entry, sizeof(lanes), &lanes};
   const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = lanes,
   };
   const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .pNext = &subgroup,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = gpu_create_module(gpu, "matrix.spvasm"),
            .pName = "main",
            .pSpecializationInfo = &constants,
         },
      .layout = layout,
   };
   VkPipeline pipeline;
   CALL(vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   vkDestroyShaderModule(gpu->device, info.stage.module, NULL);
   return pipeline;
}

static void
check_multiplication(struct gpu *gpu, const struct set *set, struct buffer matrices[3], uint32_t lanes)
{
   for (int row = 0; row < N; row++) {
      for (int column = 0; column < N; column++) {
         ((uint16_t *)matrices[0].map)[row * N + column] = half(element_a(row, column));
         ((uint16_t *)matrices[1].map)[row * N + column] = half(element_b(row, column));
         ((float *)matrices[2].map)[row * N + column] = element_c(row, column);
      }
   }
   const VkPipeline pipeline = create_pipeline(gpu, set->layout, lanes);
   const uint32_t unused = 0;
   set_run(gpu, set, pipeline, &unused, 4, 1);
   vkDestroyPipeline(gpu->device, pipeline, NULL);
   for (int row = 0; row < N; row++) {
      for (int column = 0; column < N; column++) {
         int sum = element_c(row, column);
         for (int i = 0; i < N; i++)
            sum += element_a(row, i) * element_b(i, column);
         CHECK(((float *)matrices[2].map)[row * N + column] == sum);
      }
   }
}

/* Whether the device lists what the shader uses. */
static bool
has_shape(struct gpu *gpu)
{
   INSTANCE_FUNCTION(gpu, GetPhysicalDeviceCooperativeMatrixPropertiesKHR);
   VkCooperativeMatrixPropertiesKHR properties[64];
   for (uint32_t i = 0; i < 64; i++)
      properties[i] = (VkCooperativeMatrixPropertiesKHR){.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
   uint32_t count = 64;
   GetPhysicalDeviceCooperativeMatrixPropertiesKHR(gpu->physical_device, &count, properties);
   for (uint32_t i = 0; i < count; i++) {
      const VkCooperativeMatrixPropertiesKHR *p = &properties[i];
      if (p->MSize == N && p->NSize == N && p->KSize == N && p->AType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
          p->BType == VK_COMPONENT_TYPE_FLOAT16_KHR && p->CType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
          p->ResultType == VK_COMPONENT_TYPE_FLOAT32_KHR && p->scope == VK_SCOPE_SUBGROUP_KHR)
         return true;
   }
   return false;
}

static bool
cooperative_matrix(void)
{
   VkPhysicalDeviceCooperativeMatrixFeaturesKHR features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
   struct gpu gpu;
   if (!gpu_open_with(&gpu, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, &features))
      return false;
   CHECK(has_shape(&gpu));
   static const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
   struct set set;
   set_init(&gpu, &set, 3, types);
   struct buffer matrices[3];
   for (uint32_t i = 0; i < 3; i++) {
      buffer_init(&gpu, &matrices[i], N * N * 4, 0);
      set_write_buffer(&gpu, &set, i, types[i], matrices[i].buffer, 0, VK_WHOLE_SIZE);
   }
   VkPhysicalDeviceVulkan13Properties sizes = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &sizes};
   vkGetPhysicalDeviceProperties2(gpu.physical_device, &properties);
   for (uint32_t lanes = sizes.minSubgroupSize; lanes <= sizes.maxSubgroupSize; lanes *= 2)
      check_multiplication(&gpu, &set, matrices, lanes);
   for (uint32_t i = 0; i < 3; i++)
      buffer_finish(&gpu, &matrices[i]);
   set_finish(&gpu, &set);
   gpu_close(&gpu);
   return true;
}

const struct test tests[] = {
   {.name = "cooperative matrix", .run = cooperative_matrix, .not_validated = true},
   {.name = NULL},
};
