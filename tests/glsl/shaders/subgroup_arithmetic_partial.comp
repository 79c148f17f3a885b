#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
// Reductions and scans while every third invocation is away.
//! fill 0
//! expect u32 42 42 42 22
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint sums, scans, products, away; };

void main()
{
   uint i = gl_SubgroupInvocationID;
   if (gl_LocalInvocationIndex % 3 == 0) {
      atomicAdd(away, 1);
      return;
   }
   uint first = gl_LocalInvocationIndex - i, sum = 0, before = 0;
   for (uint k = 0; k < gl_SubgroupSize; k++) {
      uint x = (first + k) % 3 == 0 ? 0 : k + 1;
      sum += x;
      before += k < i ? x : 0;
   }
   atomicAdd(sums, uint(subgroupAdd(i + 1) == sum));
   atomicAdd(scans, uint(subgroupExclusiveAdd(i + 1) == before));
   atomicAdd(products, uint(subgroupMul(i < 4 ? i + 1 : 1) > 0));
}
