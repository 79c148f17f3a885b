#version 460
// Sums of all before, in log2(n) rounds with two barriers each: i * (i + 1) / 2.
//! expect u32 0 1 3 6 10 15 21 28
//! at 508
//! expect u32 8128
layout(local_size_x = 128) in;
layout(binding = 0) buffer Result { uint r[128]; };

shared uint sums[128];

void main()
{
   uint i = gl_LocalInvocationID.x;
   sums[i] = i;
   barrier();
   for (uint d = 1; d < 128; d *= 2) {
      uint before = i >= d ? sums[i - d] : 0;
      barrier();
      sums[i] += before;
      barrier();
   }
   r[i] = sums[i];
}
