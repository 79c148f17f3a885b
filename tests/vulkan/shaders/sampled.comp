// SPDX-License-Identifier: MIT
// Samples an image of one row at five places from half a texel before it, by a sampler of its own and by a combined one.
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 5) in;
layout(binding = 0) uniform texture2D image;
layout(binding = 1) uniform sampler filtering;
layout(binding = 2) uniform sampler2D combined;
layout(buffer_reference, buffer_reference_align = 8) buffer Values { vec2 value[]; };
layout(push_constant) uniform Push { Values values; };
void main()
{
   const uint i = gl_LocalInvocationIndex;
   const vec2 at = vec2((float(i) - 0.5) / 4, 0.5); /* of a width of four: the middles of texels -1 to 3 */
   values.value[i] = vec2(textureLod(sampler2D(image, filtering), at, 0).x, textureLod(combined, at, 0).x);
}
