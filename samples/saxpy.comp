#version 450
// y = a * x + y, one element for each invocation
layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Constants { float a; uint n; };

void main()
{
   uint i = gl_GlobalInvocationID.x;
   if (i >= n)
      return;

   float product = a * x[i];
   y[i] = product + y[i];
}
