#version 460
// Sampling with a linear filter, at levels that are given or follow from gradients; fetching; sizes of levels.
//! images
//! expect f32~1e-5 0.0941176471 0.0941176471 0 0.0588235294
//! expect f32~1e-5 0 0.0627450980 0.2509803922 0.0588235294
//! expect f32~1e-5 0 0 0.5019607843 0.0588235294
//! expect f32~1e-5 0.0941176471 0 0 0.0588235294
//! expect f32~1e-5 0.1882352941 0.1254901961 0 0.0588235294
//! expect f32~1e-5 0.0313725490 0.0313725490 0.2509803922 0.0588235294
//! expect i32 4 4 2 2 1 1 3
//! steps 18 19 20 21 22 23 24 25 26 24 25 26 24 25 26 24 28
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { vec4 r[6]; int sizes[6]; int levels; };
layout(binding = 7) uniform sampler2D image;

void main()
{
   r[0] = textureLod(image, vec2(0.5), 0.0);         // between texels 1 and 2
   r[1] = textureLod(image, vec2(0.25, 0.75), 1.0);  // texel (0, 1) of level 1
   r[2] = textureLod(image, vec2(0.3, 0.9), 2.0);    // the only texel of level 2
   r[3] = textureLod(image, vec2(0.5, -1.0), 0.0);   // clamped to the edge
   r[4] = texelFetch(image, ivec2(3, 2), 0);
   r[5] = textureGrad(image, vec2(0.5), vec2(0.5, 0.0), vec2(0.0, 0.5)); // two texels a step: level 1
   for (int level = 0; level < 3; level++) {
      sizes[2 * level] = textureSize(image, level).x;
      sizes[2 * level + 1] = textureSize(image, level).y;
   }
   levels = textureQueryLevels(image);
}
