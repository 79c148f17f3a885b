#version 460
// sin, cos within 2^-11 between -pi and pi; tan, which is their quotient; radians, degrees.
//! input f32 0.5 3 -2 0
//! expect f32~4.8828125e-4 0.4794255386 0.1411200081 -0.9092974268 0
//! expect f32~4.8828125e-4 0.8775825619 -0.9899924966 -0.4161468365 1
//! expect f32~2e-3 0.5463024898
//! expect f32~3ulp 0.008726646 28.6478898
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { float sines[4], cosines[4], tangent, r, d; };
layout(binding = 1) readonly buffer Input { float v[4]; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   sines[i] = sin(v[i]);
   cosines[i] = cos(v[i]);
   if (i == 0) {
      tangent = tan(v[0]);
      r = radians(v[0]);
      d = degrees(v[0]);
   }
}
