#version 460
// An array that is larger than scratch memory, 131068 bytes a lane in wave64, but needs none once it is optimized. Were
// its size cut to what the launch can say, the waves' elements 1235 and 3 would share their memory.
//! input u32 7
//! expect u32 128*77
layout(local_size_x = 128) in;
layout(binding = 0) buffer Result { uint sums[128]; };
layout(binding = 1) readonly buffer Input { uint seven; };

void main()
{
   uint large[34000];
   large[3] = seven * 5;
   large[1235] = seven * 6;
   barrier();
   sums[gl_LocalInvocationIndex] = large[3] + large[1235];
}
