#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Atomics through an address, by several workgroups.
//! push-address result
//! workgroups 4 1 1
//! fill 0
//! expect u32 32640 256 255
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counts { uint sum, count, most; };
layout(push_constant) uniform Push { Counts counts; };

void main()
{
   uint i = gl_GlobalInvocationID.x;
   atomicAdd(counts.sum, i);
   atomicAdd(counts.count, 1);
   atomicMax(counts.most, i);
}
