#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Input { float values[]; };
layout(set = 0, binding = 1) buffer Output { float sums[]; };
shared float partial[256];

void main()
{
   uint local = gl_LocalInvocationID.x;
   partial[local] = values[gl_GlobalInvocationID.x];
   barrier();
   for (uint stride = 128; stride > 0; stride >>= 1) {
      if (local < stride)
         partial[local] += partial[local + stride];
      barrier();
   }
   if (local == 0)
      sums[gl_WorkGroupID.x] = partial[0];
}
