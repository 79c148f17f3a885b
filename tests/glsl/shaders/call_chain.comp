#version 460
// A chain of calls, each with work before and after the next.
//! input u32 3
//! expect u32 226
//! steps 29 23 17 12 17 18 23 24 29
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint r; };
layout(binding = 1) readonly buffer Input { uint v; };

uint third(uint x)
{
   return x * x + 1; // 37
}

uint second(uint x)
{
   uint y = third(x + 1); // 37
   return y * x;          // 185
}

uint first(uint x)
{
   uint y = second(x + 2); // 185
   return y + 4;           // 189
}

void main()
{
   r = first(v) + 37;
}
