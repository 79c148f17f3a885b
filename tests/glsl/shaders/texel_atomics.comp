#version 460
// Atomics on a texel buffer.
//! input u32 0 100
//! expect u32 2016 37
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint sum, least; };
layout(binding = 4, r32ui) uniform coherent uimageBuffer words;

void main()
{
   uint i = gl_LocalInvocationIndex;
   imageAtomicAdd(words, 0, i);
   imageAtomicMin(words, 1, 100 - i);
   memoryBarrierImage();
   barrier();
   sum = imageLoad(words, 0).x;
   least = imageLoad(words, 1).x;
}
