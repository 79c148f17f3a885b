#version 460
// ?: in ?:, on scalars and on whole structs.
//! input i32 -5 0 5
//! expect i32 -1 0 1 -10 3 10
//! steps 15 16 17 18 19
layout(local_size_x = 3) in;

struct Pair { int a, b; };

layout(binding = 0) buffer Result { int sign_of[3], chosen[3]; };
layout(binding = 1) readonly buffer Input { int v[3]; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   int x = v[i];
   sign_of[i] = x < 0 ? -1 : x > 0 ? 1 : 0;
   Pair p = x == 0 ? Pair(1, 2) : Pair(x, x);
   chosen[i] = p.a + p.b;
}
