#version 460
// Infinities and numbers that are none.
//! input f32 inf -inf nan 0 -0 1
//! expect u32 1 1 0 0 1 0
//! expect u32 1 0 1
//! expect f32 inf -inf nan nan nan 0
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint a[6], b[3]; float c[6]; };
layout(binding = 1) readonly buffer Input { float infinite, below, none, zero, minus_zero, one; };

void main()
{
   a = uint[](uint(isinf(infinite)), uint(isinf(below)), uint(isinf(none)), uint(isinf(one)), uint(isnan(none)),
              uint(isnan(infinite)));
   b = uint[](uint(zero == minus_zero), uint(none == none), uint(none != none));
   c[0] = one / zero;
   c[1] = one / minus_zero;
   c[2] = infinite + below;
   c[3] = none * one;
   c[4] = zero / zero;
   c[5] = one / infinite;
}
