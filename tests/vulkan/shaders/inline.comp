// SPDX-License-Identifier: MIT
// What is in an inline uniform block, added up and element by element.
#version 460
layout(local_size_x = 64) in;
layout(binding = 0) uniform Block { uvec4 block[16]; };
layout(binding = 1) writeonly buffer To { uint to[]; };
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   to[i] = block[i / 4][i % 4] + block[0].x * 1000;
}
