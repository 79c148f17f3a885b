#version 460
// A constant table indexed by a variable.
//! input u32 3 0 2 1
//! expect f32 9.5 1.5 6.5 3.5
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { float picked[4]; };
layout(binding = 1) readonly buffer Input { uint index[4]; };

const float table[4] = float[](1.5, 3.5, 6.5, 9.5);

void main()
{
   uint i = gl_LocalInvocationID.x;
   picked[i] = table[index[i]];
}
