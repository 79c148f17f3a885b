// SPDX-License-Identifier: MIT
// Numbers the components of an image's texels, from a first one on.
#version 460
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 64) in;
layout(binding = 0) writeonly uniform uimage2D image;
layout(push_constant) uniform Push { uint first; };
void main()
{
   const ivec2 at = ivec2(gl_GlobalInvocationID), size = imageSize(image);
   if (at.x < size.x)
      imageStore(image, at, uvec4(0, 1, 2, 3) + (first + (at.y * size.x + at.x) * 4));
}
