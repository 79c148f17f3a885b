#version 460
// Members placed by hand: explicit offsets and alignment.
//! input u32 1 2 3 4 5 6 7 8
//! fill 0
//! expect u32 0 0 6 0 0 0 0 0 3
//! at 64
//! expect u32 8
layout(local_size_x = 1) in;
layout(binding = 0, std430) buffer Result {
   layout(offset = 8) uint a;
   layout(offset = 32) uint b;
   layout(align = 64) uint c;
};
layout(binding = 1, std430) readonly buffer Input {
   layout(offset = 8) uint third;
   layout(offset = 20) uint sixth;
   uint seventh, eighth;
};

void main()
{
   a = sixth;
   b = third;
   c = eighth;
}
