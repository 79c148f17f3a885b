#version 460
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// A loop over the different values of a subgroup: each turn serves those that have the first one's value.
//! fill 0
//! expect u32 13 13 13 13 12
//! steps 13 14 15 16 17 18 19 20 14
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint counts[5]; };

void main()
{
   uint kind = gl_LocalInvocationIndex % 5;
   for (bool served = false; !served;) {
      uint first = subgroupBroadcastFirst(kind);
      if (kind == first) {
         uint count = subgroupAdd(1);
         if (subgroupElect())
            atomicAdd(counts[first], count);
         served = true;
      }
   }
}
