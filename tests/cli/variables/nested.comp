#version 460
// A call in a call, to be left one after the other or both at once.
//! expect f32 14 14 14 14
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { float result[4]; } results;

float twice(float x)
{
   float y = x + x;
   return y;
}

float outer(float x)
{
   float a = twice(x) + 1.0;
   float b = twice(a);
   return b;
}

void main()
{
   float sum = outer(3.0);
   results.result[gl_LocalInvocationIndex] = sum;
}
