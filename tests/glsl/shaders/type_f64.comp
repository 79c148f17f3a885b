#version 460
// Doubles: what 24 bits of fraction cannot hold; division and square root, fma, comparison.
//! input f64 1 1e-15 3 2 -7.5
//! expect f64 1.000000000000001
//! expect f64~1ulp 0.3333333333333333333
//! expect f64~1ulp 1.4142135623730950488
//! expect f64 1.000000000000003 7.5 -8
//! expect u32 1 0
//! expect f64 -1.5
//! steps 17 18 19 20 21 22 23 24 25
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { double sum, third, root, multiplied, positive, below; uint more, less; double scaled; };
layout(binding = 1) readonly buffer Input { double one, tiny, three, two, negative; };

void main()
{
   sum = one + tiny;
   third = one / three;
   root = sqrt(two);
   multiplied = fma(three, tiny, one);
   positive = abs(negative);
   below = floor(negative);
   more = uint(one + tiny > one);
   less = uint(negative > one);
   scaled = negative / 5.0lf;
}
