#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
// 8-bit integers wrap at 8 bits, extend with and without sign, and are stored a byte each.
//! input u8 250 10 128 255
//! expect u8 4 240 128 129
//! expect i8 -128 -1 1 -6
//! expect u32 250
//! expect i32 -6
//! steps 16 17 18 19 20 21 22 23 24 25
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint8_t u[4]; int8_t s[4]; uint wide; int swide; };
layout(binding = 1) readonly buffer Input { uint8_t a, b, c, d; };

void main()
{
   u[0] = a + b;
   u[1] = a - b;
   u[2] = c * (b + uint8_t(1)); // 1408 = 5 * 256 + 128
   u[3] = ~(d / uint8_t(2)) + uint8_t(1);
   s[0] = int8_t(c);
   s[1] = int8_t(d);
   s[2] = -int8_t(d);
   s[3] = int8_t(a);
   wide = uint(a);
   swide = int(int8_t(a));
}
