#version 460
#extension GL_KHR_shader_subgroup_vote : require
// All, any, all equal; also with part of the invocations away.
//! input f32 1 1
//! fill 9
//! expect u32 1 0 1 0 1 0 1 1 0
//! steps 15 16 17 18 19 20 25
//! lines 15 16 17 18 19 20 21 22 23 25 26 27
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint r[9]; };
layout(binding = 1) readonly buffer Input { float a, b; };

void main()
{
   uint i = gl_SubgroupInvocationID;
   bool all_true = subgroupAll(a == b), all_some = subgroupAll(i < 3);
   bool any_some = subgroupAny(i == 3), any_none = subgroupAny(i > 64);
   bool equal = subgroupAllEqual(a), different = subgroupAllEqual(i);
   bool all_of_part = false, any_of_part = true, equal_in_part = false;
   if (i >= 2) {
      all_of_part = subgroupAll(i > 1);
      any_of_part = subgroupAny(i < 2);
      equal_in_part = subgroupAllEqual(min(i, 2));
   }
   if (gl_LocalInvocationID.x == 2)
      r = uint[](uint(all_true), uint(all_some), uint(any_some), uint(any_none), uint(equal), uint(different),
                 uint(all_of_part), uint(equal_in_part), uint(any_of_part));
}
