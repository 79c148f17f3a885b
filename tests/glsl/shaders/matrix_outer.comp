#version 460
// outerProduct, matrixCompMult, and a matrix indexed by a variable.
//! input f32 1 2 3 4 5
//! input u32 1
//! expect f32 4 5 8 10 12 15
//! expect f32 10
//! expect f32 16 25
//! steps 15 16 17 18 17 18 17 16 17 18 17 18 17 16 17 18 17 18 17 16 19 20 21 22
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { float outer[6]; float picked; float squares[2]; };
layout(binding = 1) readonly buffer Input { float a[5]; uint one; };

void main()
{
   mat3x2 m = outerProduct(vec2(a[3], a[4]), vec3(a[0], a[1], a[2]));
   for (int c = 0; c < 3; c++)
      for (int r = 0; r < 2; r++)
         outer[c * 2 + r] = m[c][r];
   picked = m[one][one]; // 2 * 5
   mat3x2 s = matrixCompMult(m, m);
   squares[0] = s[0][0];
   squares[1] = s[0][1];
}
