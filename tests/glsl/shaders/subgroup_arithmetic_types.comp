#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
// Reductions and scans of other types, compared with a loop.
//! input u32 1
//! fill 0
//! expect u32 64 64 64 64 64 64 64
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint right[7]; };
layout(binding = 1) readonly buffer Input { uint one; };

void main()
{
   uint i = gl_SubgroupInvocationID * one, n = gl_SubgroupSize;
   uint sum = n * (n - 1) / 2;
   atomicAdd(right[0], uint(subgroupAdd(float(i)) == float(sum)));
   atomicAdd(right[1], uint(subgroupInclusiveAdd(double(i) * 0.5lf) == double(i * (i + 1) / 2) * 0.5lf));
   atomicAdd(right[2], uint(subgroupAdd(uint64_t(i) << 32) == uint64_t(sum) << 32));
   atomicAdd(right[3], uint(subgroupAdd(uint8_t(i)) == uint8_t(sum)));
   atomicAdd(right[4], uint(subgroupMin(int16_t(i) - 40s) == -40s));
   atomicAdd(right[5], uint(subgroupMax(float16_t(i)) == float16_t(n - 1)));
   atomicAdd(right[6], uint(all(equal(subgroupAdd(uvec2(1, i)), uvec2(n, sum)))));
}
