// One texel an invocation: LOAD and FETCH write what they read to the buffer, STORE the other way round. VALUE, IMAGE and
// TEXTURE are GLSL types such as ivec4, iimage2D and itexture2D; IS_2D and so on say which.
#version 460
#extension GL_EXT_shader_image_load_formatted : require
#extension GL_EXT_samplerless_texture_functions : require

layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) buffer Values { VALUE value[]; };
layout(push_constant) uniform Parameters {
   ivec3 size;
   int level, first, samples;
};

#if defined LOAD
layout(binding = 1) readonly uniform IMAGE image;
#elif defined STORE
layout(binding = 1) writeonly uniform IMAGE image;
#else
layout(binding = 1) uniform TEXTURE image;
#endif

#if defined IS_1D
#define AT at.x
#elif defined IS_1DArray
#define AT at.xz
#elif defined IS_2D || defined IS_2DMS
#define AT at.xy
#elif defined IS_Buffer
#define AT at.x + at.y * size.x
#else
#define AT at
#endif

#if defined IS_2DMS || defined IS_2DMSArray
#define SAMPLE , at_sample
#elif defined FETCH && !defined IS_Buffer
#define SAMPLE , level
#else
#define SAMPLE
#endif

void main()
{
   ivec3 at = ivec3(gl_GlobalInvocationID);
   if (any(greaterThanEqual(at, size)))
      return;
   for (int at_sample = 0; at_sample < samples; at_sample++) {
      int index = first + ((at.z * size.y + at.y) * size.x + at.x) * samples + at_sample;
#if defined LOAD
      value[index] = imageLoad(image, AT SAMPLE);
#elif defined STORE
      imageStore(image, AT SAMPLE, value[index]);
#else
      value[index] = texelFetch(image, AT SAMPLE);
#endif
   }
}
