#version 460
// Waves that part: every second half of a workgroup takes another branch, and they meet at a barrier.
//! workgroups 24 1 1
//! expect u32 64*35 64*53 64*53 64*35
//! at 11264
//! expect u32 64*35 64*53 64*53 64*35
layout(local_size_x = 128) in;
layout(binding = 0) buffer Result { uint r[]; };

shared uint values[128];

void main()
{
   uint i = gl_LocalInvocationIndex;
   if ((gl_WorkGroupID.x + i / 64) % 2 == 0)
      values[i] = 3;
   else
      values[i] = 5;
   barrier();
   r[gl_GlobalInvocationID.x] = 10 * values[i] + values[i ^ 64];
}
