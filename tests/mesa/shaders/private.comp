#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 10, local_size_y = 5, local_size_z = 3) in;
layout(set = 0, binding = 0) buffer Results { uvec4 results[]; };
layout(set = 1, binding = 0) uniform Parameters { uint count; uint seed; };

void main()
{
   uint table[96];
   for (uint i = 0; i < 96; i++)
      table[i] = i * seed;
   uint at = gl_LocalInvocationIndex;
   for (uint i = 0; i < count; i++)
      at = table[at % 96] ^ i;
   uint total = subgroupAdd(at);
   uint group = gl_WorkGroupID.x + gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z);
   results[group * 150 + gl_LocalInvocationIndex] = uvec4(at, total, gl_SubgroupID, gl_SubgroupInvocationID);
}
