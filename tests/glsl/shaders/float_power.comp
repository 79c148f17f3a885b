#version 460
// exp, exp2, log, log2, pow: exp within 3 + 2 |x| units, log within 3, or 2^-21 between 0.5 and 2.
//! input f32 10 1 -20 8 1.5 0.5 1000
//! expect f32~23ulp 1024
//! expect f32~5ulp 2.718281828
//! expect f32~43ulp 2.061153622e-9
//! expect f32~3ulp 3 2.302585093 6.907755279
//! expect f32~4.76e-7 0.5849625007
//! expect f32~16ulp 1.414213562
//! expect f32~64ulp 1000
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { float r[9]; };
layout(binding = 1) readonly buffer Input { float ten, one, minus, eight, near, half_, thousand; };

void main()
{
   r[0] = exp2(ten);
   r[1] = exp(one);
   r[2] = exp(minus);
   r[3] = log2(eight);
   r[4] = log(ten);
   r[5] = log(thousand);
   r[6] = log2(near);
   r[7] = pow(2.0 * one, half_);
   r[8] = pow(ten, 3.0 * one);
}
