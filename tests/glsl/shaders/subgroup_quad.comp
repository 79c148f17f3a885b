#version 460
#extension GL_KHR_shader_subgroup_quad : require
// Swaps in quads of invocations, and broadcasts.
//! fill 0
//! expect u32 64 64 64 64
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint right[4]; };

void main()
{
   uint i = gl_SubgroupInvocationID;
   atomicAdd(right[0], uint(subgroupQuadSwapHorizontal(i) == (i ^ 1)));
   atomicAdd(right[1], uint(subgroupQuadSwapVertical(i) == (i ^ 2)));
   atomicAdd(right[2], uint(subgroupQuadSwapDiagonal(float(i)) == float(i ^ 3)));
   atomicAdd(right[3], uint(subgroupQuadBroadcast(i, 2) == (i & ~3u) + 2));
}
