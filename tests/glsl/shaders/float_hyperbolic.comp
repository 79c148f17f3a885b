#version 460
// sinh, cosh, tanh and their inverses.
//! input f32 1 0.5 2 20
//! expect f32~1e-3 1.1752011936 1.5430806348 0.4621171573 1 0.8813735870 1.3169578969 0.5493061443
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { float r[7]; };
layout(binding = 1) readonly buffer Input { float one, half_, two, twenty; };

void main()
{
   r[0] = sinh(one);
   r[1] = cosh(one);
   r[2] = tanh(half_);
   r[3] = tanh(twenty);
   r[4] = asinh(one);
   r[5] = acosh(two);
   r[6] = atanh(half_);
}
