#version 460
#extension GL_EXT_nonuniform_qualifier : require
// An array of storage buffers, picked by a value that differs between invocations.
//! input u32 0 1 2 3 3 2 1 0
//! expect u32 0 101 202 303 304 205 106 7
layout(local_size_x = 8) in;
layout(binding = 0) buffer Result { uint r[8]; };
layout(binding = 1) readonly buffer Input { uint which[8]; };
layout(binding = 3) readonly buffer Table { uint words[64]; } tables[4];

void main()
{
   uint i = gl_LocalInvocationID.x;
   r[i] = tables[nonuniformEXT(which[i])].words[i];
}
