#version 460
// precise: a product and a sum are rounded one by one. fma() may round once. a*a is 1 + 2^-11 + 2^-24.
//! input f32 1.000244140625 -1.00048828125
//! expect f32 0 0
//! expect u32 1
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { float twice, negative; uint either; };
layout(binding = 1) readonly buffer Input { float a, b; };

void main()
{
   precise float x = a * a + b;
   twice = x;
   precise float y = -b - a * a;
   negative = y;
   float z = fma(a, a, b);
   either = uint(z == 0.0 || z == 5.9604644775390625e-08);
}
