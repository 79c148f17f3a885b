#version 460
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Atomics on 64-bit integers in a buffer and in shared memory.
//! fill 0
//! expect u64 274877906976 63000000000 0x1f800000000 1
//! expect i64 -63
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint64_t sum, most, shared_sum, swapped; int64_t least; };

shared uint64_t total;

void main()
{
   uint i = gl_LocalInvocationID.x;
   if (i == 0)
      total = 0ul;
   barrier();
   atomicAdd(sum, 0x100000000ul + uint64_t(i & 1)); // 64 * 2^32 + 32
   atomicMax(most, uint64_t(i) * 1000000000ul);
   atomicMin(least, -int64_t(i));
   atomicAdd(total, uint64_t(i) << 30); // 2016 * 2^30
   atomicCompSwap(swapped, 0ul, 1ul);
   barrier();
   shared_sum = total;
}
