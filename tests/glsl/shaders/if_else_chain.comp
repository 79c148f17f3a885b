#version 460
// if, else if, else with conditions that are joined by && and ||, whose right side has effects.
//! input u32 4 1 2 3 0
//! expect u32 40 21 21 31 10
//! steps 11 21 22 24 26 28 15 16 28 31 32 34 35 36
//! lines 11 15 16 21 22 24 25 26 27 28 29 31 32 33 34 35 36
layout(local_size_x = 5) in;
layout(binding = 0) buffer Result { uint r[5]; };
layout(binding = 1) readonly buffer Input { uint v[5]; };

uint calls = 0;

bool is(uint x, uint y)
{
   calls++;
   return x == y;
}

void main()
{
   uint i = gl_LocalInvocationID.x;
   uint x = v[i];
   uint kind;
   if (x == 0)
      kind = 1;
   else if (x < 3 && is(x, x))
      kind = 2;
   else if (x == 3 || is(x, 99))
      kind = 3;
   else
      kind = 4;
   if (x == 3)
      is(x, x);
   if (x == 4)
      calls--;
   r[i] = 10 * kind + calls;
}
