// A value of its own for each sample. VALUE is vec4, ivec4 or uvec4, IMAGE the type of image for it.
#version 460
#extension GL_EXT_shader_image_load_formatted : require

layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) writeonly uniform IMAGE image;

void main()
{
   ivec3 at = ivec3(gl_GlobalInvocationID);
   if (any(greaterThanEqual(at, imageSize(image))))
      return;
   for (int s = 0; s < imageSamples(image); s++) {
      int i = at.x * 5 + at.y * 3 + at.z * 11 + s * s;
      imageStore(image, at, s, VALUE(i % 8, i % 3, i % 5, i % 2) / SCALE);
   }
}
