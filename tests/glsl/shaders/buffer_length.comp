#version 460
// length() of an array at a buffer's end: 16384 bytes of result less 16, in steps of 8; 4096 of input.
//! expect u32 2046 1024
layout(local_size_x = 1) in;
layout(binding = 0, std430) buffer Result { uint n, m, p, q; uvec2 rest[]; };
layout(binding = 1) readonly buffer Input { uint words[]; };

void main()
{
   n = rest.length();
   m = words.length();
}
