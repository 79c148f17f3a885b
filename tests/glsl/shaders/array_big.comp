#version 460
// A local array of 1 KiB for every invocation, written and read in an order that depends on data: scratch memory.
//! input u32 167
//! expect u32 0..63
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint found[64]; };
layout(binding = 1) readonly buffer Input { uint stride; };

void main()
{
   uint id = gl_LocalInvocationID.x;
   uint a[256];
   for (uint i = 0; i < 256; i++) // 167 has no factor in common with 256: every element is written once
      a[i * stride % 256] = i;
   found[id] = 0;
   for (uint i = 0; i < 256; i++)
      if (a[i] == id)
         found[id] += a[i];
}
