#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Between doubles, floats and integers of 32 and 64 bits.
//! input f64 4294967295 -2.75 1e15
//! expect u32 4294967295
//! expect i32 -2
//! expect f32 -2.75
//! at 16
//! expect i64 1000000000000000
//! expect f64 -3 9007199254740992
//! expect f32 1e15
layout(local_size_x = 1) in;
layout(binding = 0, std430) buffer Result { uint u; int i; float f; int64_t l; double from_int, from_long; float narrow; };
layout(binding = 1) readonly buffer Input { double a, b, c; };

void main()
{
   u = uint(a);
   i = int(b);
   f = float(b);
   l = int64_t(c);
   from_int = double(i - 1);
   from_long = double(l * 9l + 7199254740992l);
   narrow = float(c);
}
