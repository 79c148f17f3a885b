#version 460
// 32-bit division and remainder, signed and unsigned, by variables.
//! input i32 7 -7 7 -7 2147483647 -2147483647 1000000007 5
//! input i32 2 2 -2 -2 10 10 65536 7
//! expect i32 3 -3 -3 3 214748364 -214748364 15258 0
//! expect u32 3 2147483644 0 0 214748364 214748364 15258 0
//! expect u32 1 1 7 4294967289 7 9 51719 5
layout(local_size_x = 8) in;
layout(binding = 0) buffer Result { int q[8]; uint uq[8], ur[8]; };
layout(binding = 1) readonly buffer Input { int a[8], b[8]; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   q[i] = a[i] / b[i];
   uq[i] = uint(a[i]) / uint(b[i]);
   ur[i] = uint(a[i]) % uint(b[i]);
}
