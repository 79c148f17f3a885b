#version 460
// A uniform buffer in std140: arrays have strides of 16, vec3 takes 12 and the float after it fits in.
//! uniform f32 1  0 0 0  2 3 4 5  6 0 0 0  7 0 0 0  8 9 0 0  10 11
//! expect f32 1 2 3 4 5 6 7 8 9 10 11
layout(local_size_x = 1) in;
layout(binding = 2, std140) uniform Uniform { float a; vec3 b; float c; float d[2]; mat2 m; };
layout(binding = 0) buffer Result { float r[11]; };

void main()
{
   r[0] = a;
   r[1] = b.x;
   r[2] = b.y;
   r[3] = b.z;
   r[4] = c;
   for (int i = 0; i < 2; i++)
      r[5 + i] = d[i];
   for (int i = 0; i < 4; i++)
      r[7 + i] = m[i >> 1][i & 1];
}
