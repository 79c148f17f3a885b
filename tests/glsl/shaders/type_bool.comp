#version 460
// Booleans in variables, arrays and structs, from and to numbers; ^^ on them.
//! input i32 0 -3 1
//! input f32 0 0.5
//! expect u32 0 1 1 0 1
//! expect f32 1
//! expect u32 1 0 2
//! steps 18 19 20 19 20 19 20 19 20 19 20 19 21 22 23 25 26 27 28
layout(local_size_x = 1) in;

struct Flags { bool a, b[2]; };

layout(binding = 0) buffer Result { uint from[5]; float as_float; uint different, same, count; };
layout(binding = 1) readonly buffer Input { int i[3]; float f[2]; };

void main()
{
   bool all[5] = bool[](bool(i[0]), bool(i[1]), bool(i[2]), bool(f[0]), bool(f[1]));
   for (int k = 0; k < 5; k++)
      from[k] = uint(all[k]);
   as_float = float(all[4]);
   different = uint(all[0] ^^ all[1]);
   same = uint(all[1] ^^ all[2]);
   Flags flags;
   flags.a = all[i[2]];
   flags.b[i[2]] = !all[3];
   flags.b[0] = all[0];
   count = uint(flags.a) + uint(flags.b[0]) + uint(flags.b[1]);
}
