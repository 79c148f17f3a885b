// Several waves write the same words, and lanes of one instruction those side by side.
//! workgroups 4 1 1
//! fill 0
//! at 4
//! expect u32 10
//! at 8
//! expect u32 0..63 0..63 0..63 0..63
#version 460
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint last; uint sum; uint each[256]; };

void main()
{
   uint g = gl_WorkGroupID.x;
   if (gl_LocalInvocationID.x == 7u)
      last = g + 10u;
   if (gl_LocalInvocationID.x == 5u)
      atomicAdd(sum, g + 1u);
   each[gl_GlobalInvocationID.x] = gl_LocalInvocationID.x;
}
