// SPDX-License-Identifier: MIT
// Counts invocations and the largest workgroup of each dimension.
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint factor = 1;
layout(buffer_reference, buffer_reference_align = 4) buffer Counts { uint invocations, last[3]; };
layout(push_constant) uniform Push { Counts counts; uint weight; };
void main()
{
   atomicAdd(counts.invocations, factor * weight);
   for (int i = 0; i < 3; i++)
      atomicMax(counts.last[i], gl_WorkGroupID[i]);
}
