#version 460
// In a switch in a loop, `continue` is the loop's and `break` the switch's; one invocation, so that it can be stepped.
//! input u32 0 1 2 1 3
//! expect u32 1219
//! steps 12 13 14 16 17 24 13 14 19 20 13 14 22 24 13 14 19 20 13 14 24 13 26
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint r; };
layout(binding = 1) readonly buffer Input { uint v[5]; };

void main()
{
   uint x = 0;
   for (int i = 0; i < 5; i++) {
      switch (v[i]) {
      case 0:
         x += 1000;
         break;
      case 1:
         x += 10;
         continue;
      case 2:
         x += 200;
      }
      x += 1 - (i >> 2) - (i >> 1);
   }
   r = x;
}
