#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
// 16-bit integers: arithmetic, shifts, comparison, multiplication that wraps, vectors.
//! input u16 65535 3 300 32768
//! expect u16 2 65532 24464 4096 21845 0
//! expect i16 -32768 -1 -1 -300
//! expect u32 1
//! steps 15 16 17 18 19 20 21 22 23 24 25 26
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint16_t u[6]; int16_t s[4]; uint less; };
layout(binding = 1) readonly buffer Input { uint16_t a, b, c, d; };

void main()
{
   u[0] = a + b;
   u[1] = a - b;
   u[2] = c * c; // 90000 = 65536 + 24464
   u[3] = d >> b;
   u[4] = a / b;
   u[5] = a % b;
   s[0] = int16_t(d);
   s[1] = int16_t(d) >> 15s;
   i16vec2 v = i16vec2(int16_t(a), int16_t(c)) * i16vec2(1s, -1s);
   s[2] = v.x;
   s[3] = v.y;
   less = uint(int16_t(d) < int16_t(c));
}
