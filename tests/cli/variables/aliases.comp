#version 460
// Two variables of one binding; texels of buffers.
//! input u32 0xff800033 1 2 3
//! expect u32 563
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint result[]; } results;
layout(binding = 3) readonly buffer Words { uint word[]; } words[4];
layout(binding = 3) readonly buffer Pairs { uvec2 pair[]; } pairs[2];
layout(binding = 4, r32ui) readonly uniform uimageBuffer numbers;
layout(binding = 5) uniform samplerBuffer colors;

void main()
{
   uint texel = imageLoad(numbers, 2).x;
   vec4 color = texelFetch(colors, 0);
   results.result[0] = words[2].word[3] + pairs[1].pair[1].y + texel + uint(color.w * 255);
}
