#version 460
// A sum made with compare-and-swap in a loop that ends at a different time for every invocation.
//! input f32 1 2 3 4
//! fill 0
//! expect f32 160
//! expect u32 1
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint sum; uint once; };
layout(binding = 1) readonly buffer Input { float v[4]; };

void main()
{
   float x = v[gl_LocalInvocationID.x % 4];
   uint seen = sum;
   for (;;) {
      uint before = atomicCompSwap(sum, seen, floatBitsToUint(uintBitsToFloat(seen) + x));
      if (before == seen)
         break;
      seen = before;
   }
   if (atomicCompSwap(once, 0, 1) == 7)
      sum = 0;
}
