#version 460
// frexp, ldexp, modf: a number taken apart and put together.
//! input f32 10 -0.15625 0 -2.75
//! expect f32 0.625 -0.625 0 -0.6875
//! expect i32 4 -2 0 2
//! expect f32 10 -0.15625 0 -2.75
//! expect f32~1e-9 0 -0.15625 0 -0.75
//! expect f32~1e-9 10 0 0 -2
//! expect f32 10240
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { float significand[4]; int exponent[4]; float whole[4], rest[4], integral[4], big; };
layout(binding = 1) readonly buffer Input { float v[4]; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   int e;
   float s = frexp(v[i], e);
   significand[i] = s;
   exponent[i] = e;
   whole[i] = ldexp(s, e);
   rest[i] = modf(v[i], integral[i]);
   if (i == 0)
      big = ldexp(v[0], 10);
}
