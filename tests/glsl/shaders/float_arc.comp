#version 460
// asin, acos, atan with one and two arguments, in all quadrants; within 4096 units in the last place.
//! input f32 0.5 -0.25 1 -1 0 10
//! expect f32~4096ulp 0.5235987756 -0.2526802551 1.0471975512 1.8234765820
//! expect f32~4096ulp 0.7853981634 1.4711276743 0.7853981634 2.3561944902 -2.3561944902 -0.7853981634
//! expect f32~4096ulp 1.5707963268 3.1415926536
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { float r[12]; };
layout(binding = 1) readonly buffer Input { float a, b, one, minus, zero, ten; };

void main()
{
   r[0] = asin(a);
   r[1] = asin(b);
   r[2] = acos(a);
   r[3] = acos(b);
   r[4] = atan(one);
   r[5] = atan(ten);
   r[6] = atan(one, one);
   r[7] = atan(one, minus);
   r[8] = atan(minus, minus);
   r[9] = atan(minus, one);
   r[10] = atan(one, zero);
   r[11] = atan(zero, minus);
}
