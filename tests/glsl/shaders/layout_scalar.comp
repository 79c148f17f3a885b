#version 460
#extension GL_EXT_scalar_block_layout : require
// Scalar layout: nothing is padded; a vec3 follows a float directly, and arrays of vec3 have strides of 12.
//! input f32 1 2 3 4 5 6 7 8 9 10
//! expect f32 10 9 8 7 6 5 4 3 2 1
layout(local_size_x = 1) in;
layout(binding = 0, scalar) buffer Result { vec3 x[3]; float last; };
layout(binding = 1, scalar) readonly buffer Input { float first; vec3 y[3]; };

void main()
{
   for (int i = 0; i < 3; i++)
      x[i] = y[2 - i].zyx;
   last = first;
}
