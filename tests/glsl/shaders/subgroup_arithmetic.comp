#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
// Reductions and scans of integers, compared with what a loop over the subgroup's numbers gives.
//! input u32 17
//! fill 0
//! expect u32 64 64 64 64 64 64 64 64
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint right[8]; };
layout(binding = 1) readonly buffer Input { uint seed; };

uint number(uint i)
{
   return (i * seed + 5) % 97;
}

void main()
{
   uint first = gl_LocalInvocationIndex - gl_SubgroupInvocationID;
   uint sum = 0, least = ~0u, most = 0, ors = 0, ands = ~0u, xors = 0, before = 0, upto = 0;
   for (uint k = 0; k < gl_SubgroupSize; k++) {
      uint x = number(first + k);
      before += k < gl_SubgroupInvocationID ? x : 0;
      upto = k <= gl_SubgroupInvocationID ? max(upto, x) : upto;
      sum += x;
      least = min(least, x);
      most = max(most, x);
      ors |= x;
      ands &= x;
      xors ^= x;
   }
   uint x = number(gl_LocalInvocationIndex);
   atomicAdd(right[0], uint(subgroupAdd(x) == sum));
   atomicAdd(right[1], uint(subgroupMin(x) == least));
   atomicAdd(right[2], uint(subgroupMax(x) == most));
   atomicAdd(right[3], uint(subgroupOr(x) == ors));
   atomicAdd(right[4], uint(subgroupAnd(x) == ands));
   atomicAdd(right[5], uint(subgroupXor(x) == xors));
   atomicAdd(right[6], uint(subgroupExclusiveAdd(x) == before));
   atomicAdd(right[7], uint(subgroupInclusiveMax(x) == upto));
}
