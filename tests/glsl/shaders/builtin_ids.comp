#version 460
// Where an invocation is: workgroup, local and global ids in three dimensions, index, sizes.
//! workgroups 2 1 3
//! expect u32 0 1 100 101 2 3 102 103
//! expect u32 1000 1001 1100 1101 1002 1003 1102 1103
//! at 160
//! expect u32 50000 50001 50100 50101 50002 50003 50102 50103
//! at 192
//! expect u32 2 1 3 2 4 2
layout(local_size_x = 2, local_size_y = 4) in;
layout(binding = 0) buffer Result { uint r[48]; uint sizes[6]; };

void main()
{
   uvec3 g = gl_GlobalInvocationID, w = gl_WorkGroupID;
   uint group = w.x + gl_NumWorkGroups.x * w.z; // 0 to 5
   // 2 x 4: index / 2 is the row; rows of one workgroup are stored pairwise
   uint row = gl_LocalInvocationIndex / 2, column = gl_LocalInvocationIndex % 2;
   uint place = group * 8 + (row & 1) * 4 + (row >> 1) * 2 + column;
   r[place] = 10000 * w.z * 2 + 10000 * w.x - 9000 * uint(w.x == 1 && w.z == 0) + 100 * (g.y >> 1) + g.x - 2 * w.x +
              2 * (gl_LocalInvocationID.y & 1);
   if (group == 5) {
      sizes[0] = gl_NumWorkGroups.x;
      sizes[1] = gl_NumWorkGroups.y;
      sizes[2] = gl_NumWorkGroups.z;
      sizes[3] = gl_WorkGroupSize.x;
      sizes[4] = gl_WorkGroupSize.y;
      sizes[5] = w.z;
   }
}
