#version 460
// Arrays are values: a copy does not follow its original, and a function gets its own.
//! input u32 5 6 7
//! expect u32 5 6 7
//! expect u32 50 6 7
//! expect u32 118
//! steps 21 22 23 24 14 15 16 24 25 26
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint original[3], changed[3], sum; };
layout(binding = 1) readonly buffer Input { uint v[3]; };

uint spoil(uint a[3])
{
   a[0] = 100;
   a[1] += a[2];
   return a[0] + a[1] + a[0] / 20;
}

void main()
{
   uint a[3] = v;
   uint b[3] = a;
   b[0] = 50;
   sum = spoil(b); // 100 + 13 + 5
   original = a;
   changed = b;
}
