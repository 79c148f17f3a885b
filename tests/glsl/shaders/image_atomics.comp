#version 460
// Atomics on an image's texel, with what they return.
//! images
//! fill 0
//! expect u32 256 32896 63 1
layout(local_size_x = 256) in;
layout(binding = 0) buffer Result { uint count, sum, most, swapped; };
layout(binding = 6, r32ui) uniform coherent uimage2D image;

void main()
{
   uint i = gl_LocalInvocationIndex;
   if (i < 3)
      imageStore(image, ivec2(i, 0), uvec4(0));
   memoryBarrierImage();
   barrier();
   uint ticket = imageAtomicAdd(image, ivec2(0, 0), 1);
   atomicAdd(sum, ticket + 1); // 1 + ... + 256
   imageAtomicMax(image, ivec2(1, 0), i & 63);
   if (imageAtomicCompSwap(image, ivec2(2, 0), 0u, i + 1) == 0)
      atomicAdd(swapped, 1);
   memoryBarrierImage();
   barrier();
   count = imageLoad(image, ivec2(0, 0)).x;
   most = imageLoad(image, ivec2(1, 0)).x;
}
