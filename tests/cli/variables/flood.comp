// More lines than any debugger reads in time.
//! workgroups 100 1 1
//! fill 0
//! at 0
//! expect u32 0..63
#version 460
#extension GL_EXT_debug_printf : enable
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint result[6400]; };

void main()
{
   uint i = gl_GlobalInvocationID.x;
   for (uint k = 0u; k < 48u; k++)
      debugPrintfEXT("line %u of %u, which is as long as such lines are wont to be\n", k, i);
   result[i] = i;
}
