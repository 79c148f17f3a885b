#version 460
// An array of layers in half precision: every invocation stores to all four, and reads its neighbour's.
//! images
//! expect f32 1 2.5 -3 0.5
//! at 16
//! expect f32 2 2.5 -3 0.5
//! at 240
//! expect f32 5 5.5 -3 0.5
//! expect i32 8 8 4
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) buffer Result { vec4 r[16]; int width, height, layers; };
layout(binding = 8, rgba16f) uniform coherent image2DArray image;

void main()
{
   ivec2 at = ivec2(gl_LocalInvocationID.xy);
   for (int layer = 0; layer < 4; layer++)
      imageStore(image, ivec3(at, layer), vec4(at, -layer, 0.5));
   memoryBarrierImage();
   barrier();
   if (at.x < 4 && at.y < 4) {
      vec4 texel = imageLoad(image, ivec3(at.x + 1, at.y + 2, 3));
      r[at.y * 4 + at.x] = texel + vec4(0, 0.5, 0, 0);
   }
   if (at == ivec2(3, 3))
      r[15].x += 1.0;
   width = imageSize(image).x;
   height = imageSize(image).y;
   layers = imageSize(image).z;
}
