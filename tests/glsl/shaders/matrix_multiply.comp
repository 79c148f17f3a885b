#version 460
// Matrix times matrix, matrix times vector, vector times matrix, transpose: columns are what a matrix is made of.
//! input f32 1 2 3 4  5 6
//! expect f32 19 22 43 50
//! expect f32 17 39 23 34
//! expect f32 1 3 2 4
//! steps 14 15 16 17 18 19 20 21
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { vec4 product; vec2 times, by; vec4 turned; };
layout(binding = 1) readonly buffer Input { vec4 m; vec2 v; };

void main()
{
   mat2 a = mat2(m.x, m.z, m.y, m.w); // rows 1 2 and 3 4
   mat2 b = mat2(5, 7, 6, 8) * m.x;   // rows 5 6 and 7 8
   mat2 c = a * b;                    // rows 19 22 and 43 50
   product = vec4(c[0][0], c[1][0], c[0][1], c[1][1]);
   times = a * v; // 1*5 + 2*6, 3*5 + 4*6
   by = v * a;    // 5*1 + 6*3, 5*2 + 6*4
   mat2 t = transpose(a);
   turned = vec4(t[0][0], t[1][0], t[0][1], t[1][1]);
}
