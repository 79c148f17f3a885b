#version 460
// Break and continue in nested loops, with bounds that differ between invocations.
//! input u32 3 0 1 2 4 5 6 7
//! expect u32 4 0 0 1 10 21 26 31
//! steps 14 15 16 17 18 19 20 18 19 21 22 25 17 18 19 21 23 18 19 20 18 19 21 22 25 17 18 19 21 23 18 19 21 23 18
//! steps 19 20 18 25 17 28
//! lines 14 15 16 17 18 19 20 21 22 23 25 26 28
layout(local_size_x = 8) in;
layout(binding = 0) buffer Result { uint r[8]; };
layout(binding = 1) readonly buffer Input { uint bound[8]; };

void main()
{
   uint id = gl_LocalInvocationID.x;
   uint n = bound[id];
   uint sum = 0;
   for (uint i = 0; i < n; i++) {
      for (uint j = 0; j < n; j++) {
         if (j == i)
            continue;
         if (j > i || sum >= 15)
            break;
         sum += 1 + j;
      }
      if (sum >= 15)
         sum += 5;
   }
   r[id] = sum;
}
