#version 450
// How often each value of a byte occurs: counted in shared memory first, then added to the counts of all workgroups.
layout(local_size_x = 256) in;

layout(binding = 0) readonly buffer Values { uint values[]; }; // four bytes each
layout(binding = 1) buffer Counts { uint counts[256]; };
layout(push_constant) uniform Constants { uint n; }; // words

shared uint bins[256];

void main()
{
   uint i = gl_GlobalInvocationID.x;
   uint local = gl_LocalInvocationID.x;
   bins[local] = 0;
   barrier();

   if (i < n) {
      uint word = values[i];
      for (int shift = 0; shift < 32; shift += 8)
         atomicAdd(bins[(word >> shift) & 0xff], 1);
   }
   barrier();

   if (bins[local] > 0)
      atomicAdd(counts[local], bins[local]);
}
