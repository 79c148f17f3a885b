// SPDX-License-Identifier: MIT
// to[i] is the word in buffer number[i].
#version 460
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Word { uint word; } words[];
layout(buffer_reference, buffer_reference_align = 4) buffer Numbers { uint number[]; };
layout(push_constant) uniform Push { Numbers numbers, to; };
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   to.number[i] = words[nonuniformEXT(numbers.number[i])].word;
}
