#version 450
// One resource of each kind; the test looks at them from outside.
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint SCALE = 1;

layout(binding = 0, rgba8) uniform readonly image2D albedo;
layout(binding = 1) uniform sampler2DArray layers;
layout(binding = 2, r16ui) uniform readonly uimage2D counts;
layout(binding = 3, r32f) uniform readonly image3D volume;
layout(binding = 4) uniform sampler smoothly;
layout(binding = 5) uniform texture2D pair[2];
layout(binding = 6) uniform samplerBuffer texels;
layout(binding = 7) uniform Settings { vec4 tint; };
layout(binding = 8) buffer Values { uint values[]; };
layout(push_constant) uniform Constants { uint n; };

void main()
{
   uint i = gl_GlobalInvocationID.x;
   if (i >= n)
      return;
   vec4 sum = imageLoad(albedo, ivec2(0)) + textureLod(layers, vec3(0.5), 0.0) + imageLoad(volume, ivec3(0)) +
              textureLod(sampler2D(pair[1], smoothly), vec2(0.5), 0.0) + texelFetch(texels, 0) + tint;
   values[i] = SCALE + imageLoad(counts, ivec2(0)).x + uint(sum.x);
}
