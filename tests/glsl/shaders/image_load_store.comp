#version 460
// A storage image: what is there at first, a store, a load of another invocation's store, its size.
//! images
//! expect u32 0x0f002030 16 16
//! at 16
//! expect u32 0x0f00f0f0 0x0f00f0e0
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) buffer Result { uint first, width, height, pad; uint turned[256]; };
layout(binding = 6, r32ui) uniform coherent uimage2D image;

void main()
{
   ivec2 at = ivec2(gl_LocalInvocationID.xy), other = 15 - at;
   uint old = imageLoad(image, at).x;
   if (at == ivec2(3, 2))
      first = old;
   barrier();
   imageStore(image, other, uvec4(old));
   memoryBarrierImage();
   barrier();
   turned[gl_LocalInvocationIndex] = imageLoad(image, at).x;
   width = imageSize(image).x;
   height = imageSize(image).y;
}
