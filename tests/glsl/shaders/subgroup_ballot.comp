#version 460
#extension GL_KHR_shader_subgroup_ballot : require
// Ballots, their bits and counts, broadcasts, masks.
//! fill 0
//! expect u32 64 64 64 64 64 64 64 64
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint right[8]; };

void main()
{
   uint i = gl_SubgroupInvocationID, n = gl_SubgroupSize;
   uvec4 odd = subgroupBallot((i & 1) == 1);
   atomicAdd(right[0], uint(subgroupBallotBitCount(odd) == n / 2));
   atomicAdd(right[1], uint(subgroupBallotExclusiveBitCount(odd) == i / 2));
   atomicAdd(right[2], uint(subgroupBallotFindLSB(odd) == 1 && subgroupBallotFindMSB(odd) == n - 1));
   atomicAdd(right[3], uint(subgroupInverseBallot(odd) == ((i & 1) == 1) && subgroupBallotBitExtract(odd, 3)));
   atomicAdd(right[4], uint(subgroupBroadcast(i * 10, 5) == 50));
   atomicAdd(right[5], uint(subgroupBroadcastFirst(i + 7) == 7));
   atomicAdd(right[6], uint(subgroupBallotBitCount(gl_SubgroupLtMask) == i &&
                            subgroupBallotBitCount(gl_SubgroupGeMask) == n - i));
   atomicAdd(right[7], uint(all(equal(gl_SubgroupEqMask | gl_SubgroupGtMask, gl_SubgroupGeMask))));
}
