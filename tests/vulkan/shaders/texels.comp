// SPDX-License-Identifier: MIT
// Writes an image's coordinates into it, or reads it into a buffer with whether each texel is resident. Compiled for two
// and for three DIMENSIONS.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_ARB_sparse_texture2 : require
layout(local_size_x = 64) in;
#if DIMENSIONS == 3
layout(binding = 0, r32ui) uniform uimage3D image;
#define AT(id) ivec3(id)
#define SIZE(image) imageSize(image)
#else
layout(binding = 0, r32ui) uniform uimage2D image;
#define AT(id) ivec2(id)
#define SIZE(image) imageSize(image), 1
#endif
layout(buffer_reference, buffer_reference_align = 8) buffer Texels { uvec2 texel[]; };
layout(push_constant) uniform Push { Texels texels; uint write; };
void main()
{
   const uvec3 id = gl_GlobalInvocationID, size = uvec3(SIZE(image));
   if (id.x >= size.x)
      return;
   const uint index = (id.z * size.y + id.y) * size.x + id.x;
   if (write != 0) {
      imageStore(image, AT(id), uvec4(index + 1));
      return;
   }
   uvec4 value;
   const bool resident = sparseTexelsResidentARB(sparseImageLoadARB(image, AT(id), value));
   texels.texel[index] = uvec2(value.x, resident ? 1 : 0);
}
