#version 450
// Heights to colours: 8 bits each of blue, green, red.
layout(local_size_x = 8, local_size_y = 8) in;

layout(binding = 0) readonly buffer Heights { int heights[]; };
layout(binding = 1) writeonly buffer Pixels { uint pixels[]; };
layout(push_constant) uniform Constants { int edge; int drop; };

void main()
{
   int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
   if (x >= edge || y >= edge)
      return;
   int i = y * edge + x;
   uint light = uint(clamp(128 + heights[i] / 8, 0, 255));
   pixels[i] = 0xff000000u | light << 16 | light << 8 | 255u;
}
