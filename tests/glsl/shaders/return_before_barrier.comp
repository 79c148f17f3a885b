#version 460
// A whole workgroup returns before the barrier that the other one waits at.
//! workgroups 2 1 1
//! fill 7
//! expect u32 64*7
//! expect u32 63 62 61 60
//! at 508
//! expect u32 0
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint r[128]; };

shared uint turn[64];

void main()
{
   if (gl_WorkGroupID.x == 0)
      return;
   uint i = gl_LocalInvocationID.x;
   turn[63 - i] = i;
   barrier();
   r[gl_GlobalInvocationID.x] = turn[i];
}
