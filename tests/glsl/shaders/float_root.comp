#version 460
// sqrt, inversesqrt, division: within the bounds of the Vulkan specification.
//! input f32 2 16 1e-30 0 3 7
//! expect f32~4ulp 1.41421356 4 1e-15
//! expect f32 0
//! expect f32~2ulp 0.70710678 0.25 1e15
//! expect f32~3ulp 2.33333333 0.142857143
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { float root[4], inverse_root[3], quotient[2]; };
layout(binding = 1) readonly buffer Input { float v[6]; };

void main()
{
   for (int i = 0; i < 4; i++)
      root[i] = sqrt(v[i]);
   for (int i = 0; i < 3; i++)
      inverse_root[i] = inversesqrt(v[i]);
   quotient[0] = v[5] / v[4];
   quotient[1] = 1.0 / v[5];
}
