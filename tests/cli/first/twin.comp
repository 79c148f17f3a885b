#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint STEP = 1u;
layout(binding = 0) buffer Values { uint v[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x;
   v[i] += STEP;
}
