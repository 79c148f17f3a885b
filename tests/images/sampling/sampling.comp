#version 460
/* Every way to look at an image of one dimensionality; which one is a push constant. */
#extension GL_NV_compute_shader_derivatives : require

layout(local_size_x = 64) in;
layout(derivative_group_linearNV) in;

struct lookup {
   vec4 at, dx, dy;
   float lod, bias, reference, unused;
};

layout(push_constant) uniform push {
   uint form;
};
layout(std430, binding = 1) readonly buffer lookups {
   lookup look[];
};
layout(std430, binding = 2) writeonly buffer results {
   vec4 result[];
};

#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)

#if DIM == 1
#define KIND sampler1D
#define P at.x
#define G(d) d.x
#define OFFSET 2
#elif DIM == 2
#define KIND sampler2D
#define P at.xy
#define G(d) d.xy
#define OFFSET ivec2(2, -3)
#define GATHERS
#elif DIM == 3
#define KIND sampler3D
#define P at.xyz
#define G(d) d.xyz
#define OFFSET ivec3(2, -3, 1)
#elif DIM == 4
#define KIND samplerCube
#define P at.xyz
#define G(d) d.xyz
#define GATHERS
#elif DIM == 5
#define KIND sampler1DArray
#define P at.xw
#define Q at.x
#define G(d) d.x
#define OFFSET 2
#elif DIM == 6
#define KIND sampler2DArray
#define P at.xyw
#define Q at.xy
#define G(d) d.xy
#define OFFSET ivec2(2, -3)
#define GATHERS
#else
#define KIND samplerCubeArray
#define P at.xyzw
#define Q at.xyz
#define G(d) d.xyz
#define GATHERS
#endif
#ifndef Q /* what textureQueryLod takes: no layer */
#define Q P
#endif

#ifdef SHADOW
layout(binding = 0) uniform NAME(KIND, Shadow) image;
#elif defined UINT
layout(binding = 0) uniform NAME(u, KIND) image;
#else
layout(binding = 0) uniform KIND image;
#endif

#ifdef SHADOW
vec4
run(vec4 at, vec4 dx, vec4 dy, lookup l)
{
   float r = l.reference;
#if DIM == 1
   vec3 p = vec3(at.x, 0, r);
#elif DIM == 2
   vec3 p = vec3(at.xy, r);
#elif DIM == 4
   vec4 p = vec4(at.xyz, r);
#elif DIM == 5
   vec3 p = vec3(at.x, at.w, r);
#elif DIM == 6
   vec4 p = vec4(at.xyw, r);
#else
   vec4 p = at;
#endif
   switch (form) {
#if DIM == 7
   case 0:
      return vec4(texture(image, p, r));
   case 4:
      return textureGather(image, p, r);
#else
   case 0:
      return vec4(texture(image, p));
#if DIM != 6
   case 1:
      return vec4(texture(image, p, l.bias));
#endif
#if DIM == 1 || DIM == 2 || DIM == 5
   case 2:
      return vec4(textureLod(image, p, l.lod));
#endif
   case 3:
      return vec4(textureGrad(image, p, G(dx), G(dy)));
#ifdef GATHERS
   case 4:
      return textureGather(image, P, r);
#if DIM != 4
   case 8:
      return textureGatherOffset(image, P, r, OFFSET);
#endif
#endif
#if DIM == 2
   case 7:
      return vec4(textureLodOffset(image, p, l.lod, OFFSET));
   case 10:
      return vec4(textureProjLod(image, vec4(2 * p, 2), l.lod));
#endif
#endif
   }
   return vec4(0);
}
#else
vec4
run(vec4 at, vec4 dx, vec4 dy, lookup l)
{
   switch (form) {
   case 0:
      return vec4(texture(image, P));
   case 1:
      return vec4(texture(image, P, l.bias));
   case 2:
      return vec4(textureLod(image, P, l.lod));
   case 3:
      return vec4(textureGrad(image, P, G(dx), G(dy)));
#ifdef GATHERS
   case 4:
      return vec4(textureGather(image, P));
   case 5:
      return vec4(textureGather(image, P, 1));
   case 6:
      return vec4(textureGather(image, P, 3));
#endif
#ifdef OFFSET
   case 7:
      return vec4(textureLodOffset(image, P, l.lod, OFFSET));
   case 12:
      return vec4(textureGradOffset(image, P, G(dx), G(dy), OFFSET));
#ifdef GATHERS
   case 8:
      return vec4(textureGatherOffset(image, P, OFFSET, 2));
   case 9: {
      const ivec2 offsets[4] = {ivec2(0, 0), ivec2(-4, 3), ivec2(7, -8), ivec2(2, 2)};
      return vec4(textureGatherOffsets(image, P, offsets, 0));
   }
#endif
#endif
#if DIM == 1
   case 10:
      return vec4(textureProjLod(image, vec2(2 * at.x, 2), l.lod));
#elif DIM == 2
   case 10:
      return vec4(textureProjLod(image, vec3(2 * at.xy, 2), l.lod));
#elif DIM == 3
   case 10:
      return vec4(textureProjLod(image, vec4(2 * at.xyz, 2), l.lod));
#endif
#ifndef UINT
   case 11:
      return vec4(textureQueryLod(image, Q), 0, 0);
#endif
   }
   return vec4(0);
}
#endif

void
main()
{
   uint n = gl_GlobalInvocationID.x;
   lookup l = look[n];
   result[n] = run(l.at, l.dx, l.dy, l);
}
