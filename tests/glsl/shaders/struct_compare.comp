#version 460
// Structs and arrays compared as a whole.
//! input u32 1 2 3  1 2 3  1 2 4
//! expect u32 1 0 1 0
layout(local_size_x = 1) in;

struct Triple { uint a; uvec2 b; };

layout(binding = 0) buffer Result { uint equal, other, arrays, different; };
layout(binding = 1) readonly buffer Input { uint v[9]; };

void main()
{
   Triple x = Triple(v[0], uvec2(v[1], v[2]));
   Triple y = Triple(v[3], uvec2(v[4], v[5]));
   Triple z = Triple(v[6], uvec2(v[7], v[8]));
   equal = uint(x == y);
   other = uint(x == z);
   uint p[2] = uint[](v[0], v[1]), q[2] = uint[](v[6], v[7]);
   arrays = uint(p == q);
   different = uint(p != q);
}
