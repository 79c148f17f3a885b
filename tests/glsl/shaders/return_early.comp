#version 460
// Invocations that return early leave the others going.
//! input u32 0..63
//! expect u32 1 10 1 10 1 10 1 10 1 10
//! at 40
//! expect u32 54*100
//! steps 15 16 20 21 22
//! lines 15 16 17 18 20 21 22 24
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint r[64]; };
layout(binding = 1) readonly buffer Input { uint v[64]; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   if (v[i] >= 10) {
      r[i] = 100;
      return;
   }
   if ((v[i] & 1) == 0) {
      r[i] = 1;
      return;
   }
   r[i] = 10;
}
