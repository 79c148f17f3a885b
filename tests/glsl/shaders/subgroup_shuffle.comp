#version 460
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
// Shuffles by index, by exclusive or, up and down, of words, doubles and vectors.
//! fill 0
//! expect u32 64 64 64 64 64 64
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint right[6]; };

void main()
{
   uint i = gl_SubgroupInvocationID, n = gl_SubgroupSize;
   atomicAdd(right[0], uint(subgroupShuffle(3 * i, n - 1 - i) == 3 * (n - 1 - i)));
   atomicAdd(right[1], uint(subgroupShuffleXor(i, 5) == (i ^ 5)));
   uint up = subgroupShuffleUp(i * i, 3);
   atomicAdd(right[2], uint(i < 3 || up == (i - 3) * (i - 3)));
   uint down = subgroupShuffleDown(i * i, 2);
   atomicAdd(right[3], uint(i + 2 >= n || down == (i + 2) * (i + 2)));
   atomicAdd(right[4], uint(subgroupShuffle(double(i) + 0.25lf, i ^ 1) == double(i ^ 1) + 0.25lf));
   atomicAdd(right[5], uint(subgroupShuffle(uvec3(i, 2 * i, 3 * i), (i + 4) % n) == uvec3(1, 2, 3) * ((i + 4) % n)));
}
