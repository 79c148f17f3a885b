#version 450
// One direction of a blur: a workgroup brings a stretch of a row or column, and what is beside it, into shared memory.
#define WORKGROUP 64
#define RADIUS 2
layout(local_size_x = WORKGROUP) in;

layout(binding = 0) uniform sampler2D source;
layout(binding = 1, r32f) uniform writeonly image2D blurred;
layout(push_constant) uniform Constants { ivec2 along; ivec2 across; };

shared float stretch[WORKGROUP + 2 * RADIUS];

const float weights[RADIUS + 1] = float[](0.375, 0.25, 0.0625); // 6, 4, 1 of 16

// The sampler takes the nearest texel and clamps to the edge.
float at(ivec2 texel)
{
   return textureLod(source, (vec2(texel) + 0.5) / vec2(textureSize(source, 0)), 0.0).x;
}

void main()
{
   int local = int(gl_LocalInvocationID.x);
   ivec2 first = along * int(gl_WorkGroupID.x) * WORKGROUP + across * int(gl_WorkGroupID.y);
   for (int i = local; i < WORKGROUP + 2 * RADIUS; i += WORKGROUP)
      stretch[i] = at(first + along * (i - RADIUS));
   barrier();

   int center = local + RADIUS;
   float sum = stretch[center] * weights[0];
   for (int i = 1; i <= RADIUS; i++)
      sum += (stretch[center - i] + stretch[center + i]) * weights[i];

   ivec2 pixel = first + along * local;
   if (all(lessThan(pixel, imageSize(blurred))))
      imageStore(blurred, pixel, vec4(sum));
}
