#version 460
// determinant() and inverse() of a 3x3 matrix: the inverse times the determinant, 2, is made of whole numbers.
//! input f32 2 0 0  1 1 0  0 3 1
//! expect f32~4ulp 2
//! at 16
//! expect f32~1e-5 1 0 0
//! at 32
//! expect f32~1e-5 -1 2 0
//! at 48
//! expect f32~1e-5 3 -6 2
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { float det; mat3 twice; };
layout(binding = 1) readonly buffer Input { float a[9]; };

void main()
{
   mat3 m = mat3(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
   det = determinant(m);
   twice = inverse(m) * det;
}
