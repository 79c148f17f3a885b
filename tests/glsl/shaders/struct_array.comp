#version 460
// An array of structs with arrays in it, filled and read by variable indices.
//! input u32 3
//! expect u32 0 1 2 10 11 12 20 21 22
//! expect u32 99
//! steps 18 19 20 21 20 21 20 21 20 18 19 20 21 20 21 20 21 20 18 19 20 21 20 21 20 21 20 18 23 24 25 26 24 25 26
//! steps 24 25 26 24 25 26 24 25 26 24 25 26 24 25 26 24 25 26 24 25 26 24
layout(local_size_x = 1) in;

struct Row { uint used; uint cells[3]; };

layout(binding = 0) buffer Result { uint flat_cells[9]; uint sum; };
layout(binding = 1) readonly buffer Input { uint n; };

void main()
{
   Row rows[3];
   for (uint r = 0; r < n; r++) {
      rows[r].used = n;
      for (uint c = 0; c < rows[r].used; c++)
         rows[r].cells[c] = 10 * r + c;
   }
   sum = 0;
   for (uint i = 0; i < n * n; i++) {
      flat_cells[i] = rows[i / n].cells[i % n];
      sum += flat_cells[i];
   }
}
