#version 460
// Workgroups that talk: the last one to finish adds up what all have written, after a barrier of memory.
//! workgroups 8 1 1
//! fill 0
//! expect u32 8 2268 1
layout(local_size_x = 64) in;
layout(binding = 0) coherent buffer Result { uint done, total, times, pad, sums[8]; };

shared uint sum;
shared bool last;

void main()
{
   uint i = gl_LocalInvocationIndex, g = gl_WorkGroupID.x;
   if (i == 0)
      sum = 0;
   barrier();
   atomicAdd(sum, i < 63 ? (g + 1) % 8 : 0); // 63 * ((g + 1) mod 8): 1764 for all, and 504 that come below
   barrier();
   if (i == 0) {
      sums[g] = sum + 63;
      memoryBarrierBuffer();
      last = atomicAdd(done, 1) == 7;
   }
   barrier();
   if (last && i == 0) {
      uint t = 0;
      for (int k = 0; k < 8; k++)
         t += sums[k];
      total = t;
      times++;
   }
}
