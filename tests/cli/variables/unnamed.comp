#version 460
// Compiled without any names.
//! specialize 7 u32 5
//! push u32 3
//! expect u32 8 9
layout(local_size_x = 2) in;
layout(constant_id = 7) const uint offset = 1;
layout(push_constant) uniform Constants { uint more; };
layout(binding = 0) buffer Result { uint result[]; } results;

void main()
{
   results.result[gl_LocalInvocationIndex] = offset + more + gl_LocalInvocationIndex;
}
