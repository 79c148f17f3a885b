#version 460
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Constants { uint n; };
shared float tile_a[16][16], tile_b[16][16];

void main()
{
   uvec2 local = gl_LocalInvocationID.xy;
   uvec2 id = gl_GlobalInvocationID.xy;
   precise float sum = 0.0;
   for (uint t = 0; t < n; t += 16) {
      tile_a[local.y][local.x] = a[id.y * n + t + local.x];
      tile_b[local.y][local.x] = b[(t + local.y) * n + id.x];
      barrier();
      for (uint k = 0; k < 16; k++)
         sum += tile_a[local.y][k] * tile_b[k][local.x];
      barrier();
   }
   c[id.y * n + id.x] = sum;
}
