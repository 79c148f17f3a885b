#version 460
#extension GL_EXT_nonuniform_qualifier : require
// Arrays of descriptors, images, a specialization constant without a name.
//! images
//! specialize 7 u32 5
//! expect u32 305 306
layout(local_size_x = 2) in;
layout(constant_id = 7) const uint offset = 1;
layout(binding = 0) buffer Result { uint result[]; } results;
layout(binding = 3) readonly buffer Words { uint word[]; } words[];
layout(binding = 6, r32ui) readonly uniform uimage2D texels;
layout(binding = 7) uniform sampler2D colors;

void main()
{
   uint lane = gl_LocalInvocationIndex;
   uint texel = imageLoad(texels, ivec2(lane, 1)).x;
   vec4 color = texelFetch(colors, ivec2(1, 2), 0);
   results.result[lane] = words[nonuniformEXT(3)].word[offset + lane] + 0u * (texel + uint(color.x));
}
