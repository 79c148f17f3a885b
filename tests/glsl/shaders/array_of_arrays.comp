#version 460
// Arrays of arrays of arrays; length().
//! input u32 1
//! expect u32 0 1 2 3 100 101 102 103 200 201 202 203
//! expect u32 3 2 2
//! expect u32 202
//! steps 17 18 19 20 19 20 19 18 19 20 19 20 19 18 17 18 19 20 19 20 19 18 19 20 19 20 19 18 17 18 19 20 19 20 19
//! steps 18 19 20 19 20 19 18 17 21 22 23 24 25 24 25 24 23 24 25 24 25 24 23 22 23 24 25 24 25 24 23 24 25 24 25
//! steps 24 23 22 23 24 25 24 25 24 23 24 25 24 25 24 23 22 26 27
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint cells[12]; uint lengths[3]; uint picked; };
layout(binding = 1) readonly buffer Input { uint one; };

void main()
{
   uint a[3][2][2];
   for (int i = 0; i < a.length(); i++)
      for (int j = 0; j < a[i].length(); j++)
         for (int k = 0; k < a[i][j].length(); k++)
            a[i][j][k] = one * (100 * i + 2 * j + k);
   uint n = 0;
   for (int i = 0; i < 3; i++)
      for (int j = 0; j < 2; j++)
         for (int k = 0; k < 2; k++)
            cells[n++] = a[i][j][k];
   lengths = uint[](a.length(), a[0].length(), a[0][0].length());
   picked = a[one + 1][one][one - 1];
}
