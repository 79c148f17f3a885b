#version 460
// do-while runs once at least; while perhaps never. Collatz: 6 needs 8 steps, 7 needs 16, 27 needs 111.
//! input u32 6 1 7 27
//! expect u32 8 0 16 111
//! expect u32 8 1 16 111
//! steps 14 15 16 17 18 16 17 18 16 17 18 16 17 18 16 17 18 16 17 18 16 17 18 16 17 18 16 20 21 22 24 25 26 24 25
//! steps 26 24 25 26 24 25 26 24 25 26 24 25 26 24 25 26 24 25 26 27
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { uint steps[4], at_least_one[4]; };
layout(binding = 1) readonly buffer Input { uint start[4]; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   uint x = start[i], n = 0;
   while (x != 1) {
      x = (x & 1) == 0 ? x / 2 : 3 * x + 1;
      n++;
   }
   steps[i] = n;
   x = start[i];
   n = 0;
   do {
      x = (x & 1) == 0 ? x / 2 : x == 1 ? 1 : 3 * x + 1;
      n++;
   } while (x != 1);
   at_least_one[i] = n;
}
