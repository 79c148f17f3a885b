// SPDX-License-Identifier: MIT
// Reads and writes at an index that may be outside of everything: see descriptors.c for the order of results.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer Storage { uint storage_words[]; };
layout(binding = 1) uniform Uniform { uint uniform_words[1024]; };
layout(binding = 2, r32ui) uniform uimage2D storage_image;
layout(binding = 3) uniform utexture2D sampled_image;
layout(binding = 4) uniform utextureBuffer uniform_texels;
layout(binding = 5, r32ui) uniform uimageBuffer storage_texels;
layout(buffer_reference, buffer_reference_align = 4) buffer Results { uint result[]; };
layout(push_constant) uniform Push { Results results; uint index; };
void main()
{
   const ivec2 texel = ivec2(index, 0);
   results.result[0] = storage_words[index];
   results.result[1] = uniform_words[index]; /* 16 bytes each */
   results.result[2] = imageLoad(storage_image, texel).x;
   results.result[3] = texelFetch(sampled_image, texel, 0).x;
   results.result[4] = texelFetch(uniform_texels, int(index)).x;
   results.result[5] = imageLoad(storage_texels, int(index)).x;
   results.result[6] = storage_words.length();
   results.result[7] = imageSize(storage_image).x;
   results.result[8] = textureSize(sampled_image, 0).x;
   results.result[9] = textureSize(uniform_texels);
   results.result[10] = atomicAdd(storage_words[index], 5);
   storage_words[index] = 77;
   imageStore(storage_image, texel, uvec4(77));
   imageStore(storage_texels, int(index), uvec4(77));
}
