#version 450
// values[first..first+count-1] = values * scale + amount
layout(local_size_x = 64) in;

layout(binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Constants { uint first; uint count; uint scale; uint amount; };

void main()
{
   uint i = gl_GlobalInvocationID.x;
   if (i < count)
      values[first + i] = values[first + i] * scale + amount;
}
