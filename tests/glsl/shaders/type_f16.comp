#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
// Half precision: sums and products are rounded to eleven bits; 65504 is the largest number.
//! input f16 1 0.0009765625 2048 1 65504 3
//! expect f16 1.0009765625 2048
//! expect f16~1ulp 0.333251953125
//! expect f16 65504
//! expect f32 3
//! expect f16 3 6 -inf nan
//! steps 17 18 19 20 21 22 23 24 25 26 27
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { float16_t r[4]; float wide; float16_t s[4]; };
layout(binding = 1) readonly buffer Input { float16_t one, ulp, big, uno, max, three; };

void main()
{
   r[0] = one + ulp;
   r[1] = big + uno; // half way: to even
   r[2] = one / three;
   r[3] = min(max, max + one);
   wide = float(three);
   f16vec2 v = f16vec2(one, one + one) * three;
   s[0] = v.x;
   s[1] = v.y;
   float16_t zero = one - uno;
   s[2] = -one / zero;
   s[3] = zero / zero;
}
