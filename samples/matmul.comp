#version 450
// c = a * b for square matrices, row after row: tiles of both are brought into shared memory and used sixteen times.
#define TILE 16
layout(local_size_x = TILE, local_size_y = TILE) in;

layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Constants { uint size; }; // rows and columns

shared float tile_a[TILE][TILE];
shared float tile_b[TILE][TILE];

// 0 beyond the edge, so that sizes need not be multiples of a tile's.
float at_a(uint row, uint column)
{
   return row < size && column < size ? a[row * size + column] : 0.0;
}

float at_b(uint row, uint column)
{
   return row < size && column < size ? b[row * size + column] : 0.0;
}

void main()
{
   uint column = gl_GlobalInvocationID.x;
   uint row = gl_GlobalInvocationID.y;
   uvec2 local = gl_LocalInvocationID.xy;
   float sum = 0.0;

   for (uint first = 0; first < size; first += TILE) {
      tile_a[local.y][local.x] = at_a(row, first + local.x);
      tile_b[local.y][local.x] = at_b(first + local.y, column);
      barrier();
      for (uint k = 0; k < TILE; k++)
         sum += tile_a[local.y][k] * tile_b[k][local.x];
      barrier();
   }

   if (row < size && column < size)
      c[row * size + column] = sum;
}
