#version 460
// packHalf2x16 and unpackHalf2x16, with the smallest normal and the largest number.
//! input f32 1 -2 0.0009765625
//! input u32 0x7bff0400
//! expect u32 0xc0003c00 0x14001400
//! expect f32 6.103515625e-05 65504
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint packed[2]; vec2 unpacked; };
layout(binding = 1) readonly buffer Input { float a, b, c; uint bits; };

void main()
{
   packed[0] = packHalf2x16(vec2(a, b));
   packed[1] = packHalf2x16(vec2(c));
   unpacked = unpackHalf2x16(bits);
}
