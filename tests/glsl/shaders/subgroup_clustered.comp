#version 460
#extension GL_KHR_shader_subgroup_clustered : require
// Reductions in clusters of 2, 4 and 8.
//! fill 0
//! expect u32 64 64 64 64
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint right[4]; };

void main()
{
   uint i = gl_SubgroupInvocationID;
   atomicAdd(right[0], uint(subgroupClusteredAdd(i, 2) == 2 * (i & ~1u) + 1));
   atomicAdd(right[1], uint(subgroupClusteredMax(i, 4) == (i | 3)));
   atomicAdd(right[2], uint(subgroupClusteredAdd(float(i), 8) == float(8 * (i & ~7u) + 28)));
   atomicAdd(right[3], uint(subgroupClusteredXor(i, 8) == 0));
}
