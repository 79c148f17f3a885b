#version 460
#extension GL_EXT_debug_printf : require
// What a shader says of its own accord.
//! expect u32 7 8 9 10 11 12 13 14
layout(local_size_x = 8) in;
layout(binding = 0) buffer Out { uint data[]; } result;

void main()
{
   uint i = gl_GlobalInvocationID.x;
   vec3 v = vec3(i, 0.5, i * 2);
   if (i == 3)
      debugPrintfEXT("three: %d %1.1v3f %f\n", i, v, v.y + 1.0);
   result.data[i] = i + 7;
   debugPrintfEXT("data %u 100%%", result.data[i]);
   if (v.z > 13.0)
      debugPrintfEXT("last %x", ~i & 0xffu);
}
