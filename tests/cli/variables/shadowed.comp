#version 460
// A parameter and a local variable with the names of push constants, which have none of their own for the block.
//! push f32 1.25 -2.5
//! expect f32 -1.25 0.9375 6.875 20.3125
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { float result[]; };
layout(push_constant) uniform Constants { float scale; float bias; };

float halve(float scale)
{
   float bias = scale * 0.5;
   return bias * scale + 1.25;
}

void main()
{
   float x = float(gl_LocalInvocationIndex);
   result[gl_LocalInvocationIndex] = halve(x) * scale * x + bias + scale;
}
