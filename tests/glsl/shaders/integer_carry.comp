#version 460
// uaddCarry, usubBorrow, umulExtended, imulExtended.
//! input u32 0xffffffff 2 0x12345678 0x87654321
//! expect u32 1 1
//! expect u32 0xfffffffd 0 3 1
//! expect u32 0x70b88d78 0x09a0cd05
//! expect u32 0x70b88d78 0xf76c768d
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint sum, carry, difference, borrow, difference2, borrow2, low, high, slow, shigh; };
layout(binding = 1) readonly buffer Input { uint a, b, c, d; };

void main()
{
   sum = uaddCarry(a, b, carry);
   difference = usubBorrow(a, b, borrow);
   difference2 = usubBorrow(b, a, borrow2);
   umulExtended(c, d, high, low);
   int h, l;
   imulExtended(int(c), int(d), h, l);
   slow = uint(l);
   shigh = uint(h);
}
