#version 460
// Stores to parts of variables, compiled with SPIR-V optimisations that put values in the place of variables.
//! expect f32 66 67 68 69
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { float result[]; } results;
struct Pair { vec2 p; float z; };

void main()
{
   uint lane = gl_LocalInvocationIndex;
   vec4 q = vec4(lane, 1, 2, 3);
   vec2 whole = vec2(lane, 4);
   q.x = 50;
   Pair s = Pair(vec2(lane, 7), 1);
   s.p.y += 4;
   results.result[lane] = q.x + q.y + s.p.y + whole.x + whole.y;
}
