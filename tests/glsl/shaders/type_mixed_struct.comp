#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
// A struct of all widths in a local variable: each member keeps its own value.
//! input u32 5
//! expect u8 5
//! at 2
//! expect u16 500
//! expect u32 50000
//! expect u64 50000000000
//! expect f16 2.5
//! at 20
//! expect f32 0.5
//! expect f64 0.05
//! steps 26 27 28 29 30 31 32 33
layout(local_size_x = 1) in;

struct All { uint8_t a; uint16_t b; uint32_t c; uint64_t d; float16_t e; float32_t f; float64_t g; };

layout(binding = 0, scalar) buffer Result { All r; };
layout(binding = 1) readonly buffer Input { uint v; };

void main()
{
   All x;
   x.g = 0.01lf * double(v);
   x.f = 0.1 * float(v);
   x.e = float16_t(0.5) * float16_t(v);
   x.d = 10000000000ul * uint64_t(v);
   x.c = 10000 * v;
   x.b = uint16_t(100 * v);
   x.a = uint8_t(v);
   r = x;
}
