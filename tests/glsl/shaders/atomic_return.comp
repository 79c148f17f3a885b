#version 460
// What atomics return is what was there before: 64 invocations draw 64 different tickets.
//! fill 0
//! expect u32 64
//! expect u32 64*1
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint next; uint drawn[64]; };

void main()
{
   uint ticket = atomicAdd(next, 1);
   atomicAdd(drawn[ticket], 1);
}
