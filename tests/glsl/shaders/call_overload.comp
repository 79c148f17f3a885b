#version 460
// Overloaded functions are told apart by their parameters.
//! input i32 -7
//! expect i32 1 2 3 4
//! steps 17 10 17 18 11 18 19 12 19 20 13 20
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { int kinds[4]; };
layout(binding = 1) readonly buffer Input { int v; };

int kind(int x) { return x < 0 ? 1 : 0; }
int kind(uint x) { return x > 7u ? 2 : 0; }
int kind(float x) { return x == -7.0 ? 3 : 0; }
int kind(ivec2 x) { return x.x == x.y ? 4 : 0; }

void main()
{
   kinds[0] = kind(v);
   kinds[1] = kind(uint(v));
   kinds[2] = kind(float(v));
   kinds[3] = kind(ivec2(v));
}
