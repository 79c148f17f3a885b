#version 460
// The workgroup's size is a specialization constant: 24 x 2 x 1, and gl_WorkGroupSize knows.
//! specialize 7 u32 24
//! specialize 8 u32 2
//! fill 0
//! expect u32 48 24 2 1 1128
layout(local_size_x_id = 7, local_size_y_id = 8) in;
layout(local_size_x = 1, local_size_y = 1) in;
layout(binding = 0) buffer Result { uint count, x, y, z, sum; };

void main()
{
   atomicAdd(count, 1);
   atomicAdd(sum, gl_LocalInvocationIndex); // 0 + ... + 47
   x = gl_WorkGroupSize.x;
   y = gl_WorkGroupSize.y;
   z = gl_WorkGroupSize.z;
}
