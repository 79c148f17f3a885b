#version 460
// A shared array whose length is a specialization constant.
//! specialize 0 u32 96
//! expect u32 95 94 93
//! at 380
//! expect u32 0 96
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint size = 32;
layout(binding = 0) buffer Result { uint r[96]; uint length; };

shared uint cells[size];

void main()
{
   uint i = gl_LocalInvocationID.x;
   cells[i] = i;
   barrier();
   r[i] = cells[size - 1 - i];
   if (i == 0)
      length = cells.length();
}
