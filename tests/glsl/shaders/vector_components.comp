#version 460
// Swizzles on both sides, and a vector's component written by a variable index.
//! input f32 1 2 3 4
//! input u32 2 0
//! expect f32 4 3 2 1
//! expect f32 1 9 9 4
//! expect f32 20 2 8 4
//! expect f32 2 2 1 3
//! steps 16 17 18 19 20 21 22 23 24
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { vec4 turned, masked, indexed, mixed; };
layout(binding = 1) readonly buffer Input { vec4 v; uint i, j; };

void main()
{
   turned = v.wzyx;
   vec4 m = v;
   m.yz = vec2(9.0);
   masked = m;
   vec4 n = v;
   n[i] = 8.0;
   n[j] = 20.0;
   indexed = n;
   mixed = vec4(v.yy, v.xz);
}
