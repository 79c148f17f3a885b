#version 460
// Fixed-point numbers packed and unpacked, with and without sign, in 8 and 16 bits; out of range is clamped.
//! input f32 0.5 -0.25 2 -1
//! input u32 0xff800033 0x80817f00 0x4000ffff 0x40008001
//! expect u32 0xffff8000 0xe0407f81 0x4000ffff 0x40008001
//! expect f32~1e-6 0.2 0 0.5019607843 1
//! expect f32~1e-6 0 1 -1 -1
//! expect f32~1e-6 1 0.2500038147 -1 0.5000152593
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint packed[4]; vec4 u8, s8; vec2 u16, s16; };
layout(binding = 1) readonly buffer Input { float half_, quarter, two, minus; uint a, b, c, d; };

void main()
{
   packed[0] = packUnorm4x8(vec4(minus, half_, two - 1.0, two));
   packed[1] = packSnorm4x8(vec4(minus * 2.0, two, half_, quarter));
   packed[2] = packUnorm2x16(vec2(two, -quarter));
   packed[3] = packSnorm2x16(vec2(minus, half_));
   u8 = unpackUnorm4x8(a);
   s8 = unpackSnorm4x8(b);
   u16 = unpackUnorm2x16(c);
   s16 = unpackSnorm2x16(d);
}
