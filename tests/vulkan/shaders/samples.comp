// SPDX-License-Identifier: MIT
// Writes a value of its own into each sample of an image, or reads them all into a buffer.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform uimage2DMSArray image;
layout(buffer_reference, buffer_reference_align = 16) buffer Samples { uvec4 value[]; };
layout(push_constant) uniform Push { Samples samples; uint write; };
void main()
{
   const ivec3 at = ivec3(gl_GlobalInvocationID), size = imageSize(image);
   if (any(greaterThanEqual(at, size)))
      return;
   const int count = imageSamples(image);
   for (int s = 0; s < count; s++) {
      const uint index = ((at.z * size.y + at.y) * size.x + at.x) * count + s;
      if (write != 0)
         imageStore(image, at, s, (index * 7 + uvec4(1, 2, 3, 4)) % 251);
      else
         samples.value[index] = imageLoad(image, at, s);
   }
}
