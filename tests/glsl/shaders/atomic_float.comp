#version 460
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
// Atomic addition, minimum, maximum and exchange of floats, in a buffer and in shared memory.
//! fill 0
//! expect f32 1008 -31.5 31.5 1008 5
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { float sum, least, most, shared_sum, exchanged; };

shared float total;

void main()
{
   float x = float(gl_LocalInvocationID.x) * 0.5;
   if (x == 0.0)
      total = 0.0;
   barrier();
   atomicAdd(sum, x);
   atomicMin(least, -x);
   atomicMax(most, x);
   atomicAdd(total, x);
   atomicExchange(exchanged, 5.0);
   barrier();
   shared_sum = total;
}
