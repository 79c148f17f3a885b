#version 460
// In optimised code both stores are in one clause, the second one inside an inlined call.
//! expect u32 0 3 6 9 0 7 14 21
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { uint result[8]; } results;

void put(uint i, uint q)
{
   results.result[i + 4] = q;
}

void main()
{
   uint i = gl_LocalInvocationIndex;
   results.result[i] = i * 3;
   put(i, i * 7);
}
