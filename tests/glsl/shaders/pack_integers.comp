#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Wide numbers put together from narrow ones and taken apart.
//! input u32 0 0x3ff80000 1 2
//! input f64 -2
//! expect f64 1.5
//! expect u64 0x200000001
//! expect u32 0 0xc0000000 0x00020001 0x04030201
//! expect u16 1 2
//! expect u32 2
//! steps 18 19 20 21 22 23 24 25 26
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { double d; uint64_t l; uvec2 parts; uint pair, four; uint16_t low, high; uint top; };
layout(binding = 1, std430) readonly buffer Input { uvec2 bits; uint one, two; double minus_two; };

void main()
{
   d = packDouble2x32(bits);
   l = packUint2x32(uvec2(one, two));
   parts = unpackDouble2x32(minus_two);
   pair = packUint2x16(u16vec2(one, two));
   four = pack32(u8vec4(one, two, one + two, two + two));
   u16vec2 halves = unpackUint2x16(pair);
   low = halves.x;
   high = halves.y;
   top = unpackUint2x32(l).y;
}
