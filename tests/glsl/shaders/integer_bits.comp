#version 460
// bitCount, bitfieldReverse, findLSB, findMSB of several numbers, signed and unsigned.
//! input u32 0 1 0x80000000 0x00f0f000 0xffffffff
//! expect u32 0 1 1 8 32
//! expect u32 0 0x80000000 1 0x000f0f00 0xffffffff
//! expect i32 -1 0 31 12 0
//! expect i32 -1 0 31 23 31
//! expect i32 -1 0 30 23 -1
layout(local_size_x = 5) in;
layout(binding = 0) buffer Result { uint count[5], reversed[5]; int low[5], high[5], shigh[5]; };
layout(binding = 1) readonly buffer Input { uint v[5]; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   count[i] = uint(bitCount(v[i]));
   reversed[i] = bitfieldReverse(v[i]);
   low[i] = findLSB(v[i]);
   high[i] = findMSB(v[i]);
   shigh[i] = findMSB(int(v[i]));
}
