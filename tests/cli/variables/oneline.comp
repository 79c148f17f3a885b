#version 460
#extension GL_EXT_debug_printf : require
// What a shader says of its own accord, on the lines of the conditions.
//! expect u32 7 8 9 10 11 12 13 14
layout(local_size_x = 8) in;
layout(binding = 0) buffer Out { uint data[]; } result;

void main()
{
   uint i = gl_GlobalInvocationID.x;
   if (i == 3) debugPrintfEXT("three");
   result.data[i] = i + 7; if (i > 5) debugPrintfEXT("late");
}
