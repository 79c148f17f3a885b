#version 460
#extension GL_KHR_shader_subgroup_basic : require
// One elected invocation for each subgroup; ids cover the workgroup.
//! fill 0
//! expect u32 1 128 0
layout(local_size_x = 128) in;
layout(binding = 0) buffer Result { uint subgroups_right, covered, wrong; };

shared uint elected;

void main()
{
   if (gl_LocalInvocationID.x == 0)
      elected = 0;
   barrier();
   if (subgroupElect())
      atomicAdd(elected, 1);
   barrier();
   if (gl_LocalInvocationID.x == 0)
      subgroups_right = uint(elected == gl_NumSubgroups && elected * gl_SubgroupSize == 128);
   uint index = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
   if (index == gl_LocalInvocationIndex)
      atomicAdd(covered, 1);
   else
      atomicAdd(wrong, 1);
}
