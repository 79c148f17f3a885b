#version 460
// All atomic operations on 32-bit integers in a buffer; where order does not matter to the result.
//! input u32 0..63
//! fill 0
//! expect u32 2016 63 0 0xffffffff 0 64 129 32
//! expect i32 -63 0
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint add, max_, zero, or_, xor_, count, and_, exchanged; int min_, signed_max; };
layout(binding = 1) readonly buffer Input { uint v[64]; };

void main()
{
   uint x = v[gl_LocalInvocationID.x];
   if (x == 0)
      atomicExchange(and_, 0xff);
   memoryBarrierBuffer();
   barrier();
   atomicAdd(add, x);
   atomicMax(max_, x);
   atomicMin(zero, x + 1);
   atomicOr(or_, 1u << (x & 31));
   atomicXor(xor_, x); // every bit is set in 32 of 64 numbers
   atomicAdd(count, 1);
   atomicAnd(and_, ~(x << 1));
   atomicMin(min_, -int(x));
   atomicMax(signed_max, -int(x) - 1);
   uint old = atomicExchange(exchanged, 32);
   if (old != 0 && old != 32)
      atomicAdd(add, 1000);
}
