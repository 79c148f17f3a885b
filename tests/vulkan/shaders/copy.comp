// SPDX-License-Identifier: MIT
// to[i] = from[i + offset] + 1
#version 460
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer From { uint from[]; };
layout(binding = 1) writeonly buffer To { uint to[]; };
layout(push_constant) uniform Push { uint offset; };
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   to[i] = from[i + offset] + 1;
}
