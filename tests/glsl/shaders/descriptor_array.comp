#version 460
// An array of storage buffers, picked by a value that all invocations share.
//! input u32 2
//! expect u32 200..263
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint r[64]; };
layout(binding = 1) readonly buffer Input { uint which; };
layout(binding = 3) readonly buffer Table { uint words[64]; } tables[4];

void main()
{
   uint i = gl_LocalInvocationID.x;
   r[i] = tables[which].words[i];
}
