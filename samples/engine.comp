#version 450
// values += amount, one element for each invocation
layout(local_size_x = 64) in;

layout(binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Constants { uint amount; };

void main()
{
   uint i = gl_GlobalInvocationID.x;
   uint sum = values[i] + amount;
   values[i] = sum;
}
