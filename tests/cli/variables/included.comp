#version 460
#extension GL_GOOGLE_include_directive : require
// A function of another file.
//! expect u32 0 2 4 6
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { uint result[]; } results;

#include "doubled.glsl"

void main()
{
   uint lane = gl_LocalInvocationIndex;
   results.result[lane] = doubled(lane);
}
