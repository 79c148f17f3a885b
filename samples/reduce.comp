#version 450
// Adds up 256 values in each workgroup: a tree in shared memory, half as many active invocations at every level.
layout(local_size_x = 256) in;

layout(binding = 0) readonly buffer Values { float values[]; };
layout(binding = 1) writeonly buffer Sums { float sums[]; };
layout(push_constant) uniform Constants { uint n; };

shared float tree[256];

void main()
{
   uint i = gl_GlobalInvocationID.x;
   uint local = gl_LocalInvocationID.x;
   tree[local] = i < n ? values[i] : 0.0;
   barrier();

   for (uint width = 128; width > 0; width /= 2) {
      if (local < width)
         tree[local] += tree[local + width];
      barrier();
   }

   if (local == 0)
      sums[gl_WorkGroupID.x] = tree[0];
}
