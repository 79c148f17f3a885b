#version 460
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Stores of 8 and 16 bits leave their neighbours alone, also when neighbours write at the same time.
//! input u32 64
//! expect u8 0..63
//! expect u16 1000..1063
//! expect u32 0xdeadbeef
layout(local_size_x = 64) in;
layout(binding = 0, std430) buffer Result { uint8_t bytes[64]; uint16_t halves[64]; };
layout(binding = 1) readonly buffer Input { uint n; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   bytes[i] = uint8_t(i + 4 * n); // 256 is gone
   halves[i] = uint16_t(i + 1000 + 1024 * n);
}
