#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
// Packed halves: arithmetic on pairs, min and max, dot, fma, conversion to float and back.
//! input f16 1 2 3 4  0.5 -1 2 8
//! expect f16 1.5 1 5 12
//! expect f16 0.5 -2 6 32
//! expect f16 0.5 -1 2 4
//! expect f16 36.5 7
//! expect f32 32 2
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { f16vec4 sum, product, least; float16_t scalar, multiplied; float wide, narrow; };
layout(binding = 1) readonly buffer Input { f16vec4 a, b; };

void main()
{
   sum = a + b;
   product = a * b;
   least = min(a, b);
   scalar = dot(a, b);                     // 0.5 - 2 + 6 + 32
   multiplied = fma(a.y, a.z, a.x);        // 2 * 3 + 1
   wide = float(a.w) * float(b.w);
   narrow = float(float16_t(float(b.z)));
}
