#version 460
// One matrix of 2 columns and 3 rows, kept by row in the input and by column in the result.
//! input f32 1 2 0 0  3 4 0 0  5 6
//! expect f32 1 3 5
//! at 16
//! expect f32 2 4 6
//! at 32
//! expect f32 22
layout(local_size_x = 1) in;
layout(binding = 0, std140) buffer Result { mat2x3 columns; float trace; };
layout(binding = 1, std140) readonly buffer Input { layout(row_major) mat2x3 rows; };

void main()
{
   columns = rows;
   trace = dot(rows[0], vec3(1)) + dot(rows[1], vec3(1)) + rows[0].x;
}
