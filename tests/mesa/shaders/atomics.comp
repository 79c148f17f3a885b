#version 460
// The built-in ids as data of atomic operations, which overwrite their operand with the old value.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) buffer Out { uint target[]; };

shared uint total, mask;

void main()
{
   uint local = gl_LocalInvocationID.x;
   if (local == 0u) {
      total = 0u;
      mask = 0u;
   }
   barrier();
   atomicAdd(total, source[gl_GlobalInvocationID.x]);
   atomicOr(mask, 1u << (local & 31u));
   barrier();
   uint old = atomicExchange(target[gl_GlobalInvocationID.x], gl_LocalInvocationID.x);
   uint group = atomicAdd(target[gl_GlobalInvocationID.x], gl_WorkGroupID.x);
   target[gl_GlobalInvocationID.x] += (old ^ group) + total + mask + gl_LocalInvocationID.x + 3u * gl_WorkGroupID.x;
}
