#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Wide { uint64_t wide[]; };
layout(set = 0, binding = 1) buffer Narrow { uint16_t narrow[]; };
layout(set = 0, binding = 2) buffer Halves { f16vec2 halves[]; };
layout(set = 0, binding = 3) buffer Histogram { uint histogram[]; };

void main()
{
   uint id = gl_GlobalInvocationID.x;
   uint64_t value = wide[id] * 0x9e3779b97f4a7c15ul;
   value ^= value >> 29;
   wide[id] = value / uint64_t(id | 1u);
   narrow[id] = uint16_t(value) + uint16_t(bitCount(uint(value >> 32)));
   halves[id] = halves[id] * f16vec2(0.5hf, 2.0hf) + f16vec2(1.0hf);
   atomicAdd(histogram[uint(value) & 255u], 1u);
   atomicMax(histogram[256u], uint(value >> 48));
}
