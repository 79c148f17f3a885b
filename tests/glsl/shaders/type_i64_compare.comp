#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Comparisons of one 64-bit integer with several at a time, which compilers like to do with their minimum or maximum.
//! input i64 -5 7 9223372036854775807 -9223372036854775808
//! expect u32 1 0 1 0
//! expect u32 1 1 0 1
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { uint alike[4], each[4]; };
layout(binding = 1) readonly buffer Input { i64vec4 a; };
layout(binding = 1) readonly buffer Elements { int64_t element[4]; };

void main()
{
   i64vec4 v = a;
   alike[0] = any(lessThan(v.xx, v.yw)) ? 1 : 0; // less than 7
   alike[1] = any(lessThan(v.zz, v.xy)) ? 1 : 0;
   alike[2] = all(lessThan(v.xw, v.zz)) ? 1 : 0;
   alike[3] = all(lessThan(v.xx, v.yw)) ? 1 : 0; // not than the lowest
   int64_t mine = element[gl_LocalInvocationIndex];
   i64vec2 both = i64vec2(mine, 8);
   each[gl_LocalInvocationIndex] = any(lessThan(both.xx, i64vec2(0, 8))) ? 1 : 0;
}
