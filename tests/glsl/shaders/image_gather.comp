#version 460
// Gathering one component of four texels, counterclockwise from the lower left one; with an offset.
//! images
//! expect f32~1e-6 0.0627450980 0.1254901961 0.1254901961 0.0627450980
//! expect f32~1e-6 0.1254901961 0.1254901961 0.0627450980 0.0627450980
//! expect f32~1e-6 0.1254901961 0.1882352941 0.1882352941 0.1254901961
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { vec4 r[3]; };
layout(binding = 7) uniform sampler2D image;

void main()
{
   r[0] = textureGather(image, vec2(0.5), 0);
   r[1] = textureGather(image, vec2(0.5), 1);
   r[2] = textureGatherOffset(image, vec2(0.5), ivec2(1, 0), 0);
}
