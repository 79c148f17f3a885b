#version 460
// Texel buffers: words to load and store, bytes as colours; sizes.
//! input u32 0xff800033 1 2 3
//! expect f32~1e-6 0.2 0 0.5019607843 1
//! expect u32 0xff800033 6 1024 1024
//! steps 14 15 16 17 18 19
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { vec4 colour; uint first, sum, words_size, colours_size; };
layout(binding = 4, r32ui) uniform uimageBuffer words;
layout(binding = 5) uniform samplerBuffer colours;

void main()
{
   colour = texelFetch(colours, 0);
   first = imageLoad(words, 0).x;
   imageStore(words, 1, uvec4(imageLoad(words, 1).x + imageLoad(words, 2).x));
   sum = imageLoad(words, 1).x + imageLoad(words, 3).x;
   words_size = imageSize(words);
   colours_size = textureSize(colours);
}
