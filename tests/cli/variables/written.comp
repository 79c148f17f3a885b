#version 460
// Workgroup variables that are only written.
//! expect u32 0 1 2 3
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { uint result[]; };
shared uint once;
shared vec2 pair[2];

void main()
{
   uint lane = gl_LocalInvocationIndex;
   once = 7;
   if (lane < 2)
      pair[lane] = vec2(lane, 0.5);
   result[lane] = lane;
}
