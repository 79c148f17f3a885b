#version 460
// A function that returns out of two loops: the first pair with this product.
//! input u32 6 7 35 0
//! expect u32 16 17 57 99
//! steps 22 23 13 14 15 14 15 14 15 14 15 14 15 14 15 16 23
//! lines 13 14 15 16 17 22 23
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { uint r[4]; };
layout(binding = 1) readonly buffer Input { uint v[4]; };

uint factors(uint x)
{
   for (uint a = 1; a < 10; a++)
      for (uint b = 1; b < 10; b++)
         if (a * b == x)
            return 10 * a + b;
   return 99;
}

void main()
{
   uint i = gl_LocalInvocationID.x;
   r[i] = factors(v[i]);
}
