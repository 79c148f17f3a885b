#version 460
// A switch with fallthrough, a default in the middle, and cases that share a body.
//! input u32 1 0 2 3 4 5 6 7
//! expect u32 110 1 100 1000 1007 1000 5005 1000
//! steps 13 14 15 20 22 23 32
//! lines 13 14 15 17 18 20 22 23 25 27 28 30 32
layout(local_size_x = 8) in;
layout(binding = 0) buffer Result { uint r[8]; };
layout(binding = 1) readonly buffer Input { uint v[8]; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   uint x = 0;
   switch (v[i]) {
   case 0:
      x = 1;
      break;
   case 1:
      x += 10; // goes on into the next
   case 2:
      x += 100;
      break;
   case 6:
      x = 4005;
   default:
      x += 1000;
      break;
   case 4:
      x = 1007;
   }
   r[i] = x;
}
