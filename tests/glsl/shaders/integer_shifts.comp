#version 460
// Shifts by variables, of signed and unsigned numbers; and, or, exclusive or, not; hexadecimal.
//! input i32 -256 4 31
//! expect i32 -16 -1 -4096
//! expect u32 0x0ffffff0 1
//! expect u32 0xff 0xffffff0f 0x000000f4
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { int s[3]; uint u[2], b[3]; };
layout(binding = 1) readonly buffer Input { int a, four, most; };

void main()
{
   s[0] = a >> four;
   s[1] = a >> most;
   s[2] = a << four;
   u[0] = uint(a) >> four;
   u[1] = uint(a) >> most;
   b[0] = ~uint(a);
   b[1] = uint(a) | 0x0fu;
   b[2] = (uint(~a) & 0xf0u) ^ uint(four);
}
