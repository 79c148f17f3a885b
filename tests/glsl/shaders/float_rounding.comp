#version 460
// floor, ceil, trunc, roundEven, fract, and mod, whose result has the divisor's sign.
//! input f32 -2.5 -0.5 0.5 1.5 2.5 7.25
//! expect f32~1e-9 -3 -1 0 1 2 7
//! expect f32~1e-9 -2 0 1 2 3 8
//! expect f32~1e-9 -2 0 0 1 2 7
//! expect f32~1e-9 -2 0 0 2 2 7
//! expect f32 0.5 0.5 0.5 0.5 0.5 0.25
//! expect f32~2ulp -0.5 -0.5 -1.5 -0.5 -1.5 -0.75
layout(local_size_x = 6) in;
layout(binding = 0) buffer Result { float down[6], up[6], cut[6], even[6], rest[6], modulus[6]; };
layout(binding = 1) readonly buffer Input { float v[6]; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   down[i] = floor(v[i]);
   up[i] = ceil(v[i]);
   cut[i] = trunc(v[i]);
   even[i] = roundEven(v[i]);
   rest[i] = fract(v[i]);
   modulus[i] = mod(v[i], v[1] * 4.0);
}
