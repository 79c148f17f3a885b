#version 460
// Compiled without lines: names, and the calls, are all there is.
//! expect u32 31 32 33 34
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { uint result[4]; } results;

uint add(uint left, uint right)
{
   uint total = left + right;
   return total;
}

void main()
{
   uint lane = gl_LocalInvocationIndex;
   uint sum = add(lane, 31);
   results.result[lane] = sum;
}
