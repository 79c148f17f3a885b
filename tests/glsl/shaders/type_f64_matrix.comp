#version 460
// Matrices and vectors of doubles.
//! input f64 1 2 3 4 5 6
//! expect f64 23 34 17 39 61
//! expect f64 5
layout(local_size_x = 1) in;
layout(binding = 0, std430) buffer Result { double r[5]; double long_side; };
layout(binding = 1, std430) readonly buffer Input { double a[6]; };

void main()
{
   dmat2 m = dmat2(a[0], a[1], a[2], a[3]); // columns 1 2 and 3 4
   dvec2 v = dvec2(a[4], a[5]);
   dvec2 p = m * v; // 1*5 + 3*6, 2*5 + 4*6
   r[0] = p.x;
   r[1] = p.y;
   dvec2 q = v * m; // 5*1 + 6*2, 5*3 + 6*4
   r[2] = q.x;
   r[3] = q.y;
   r[4] = dot(v, v);
   long_side = length(dvec2(a[2], a[3]));
}
