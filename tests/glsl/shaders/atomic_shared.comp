#version 460
// Atomics in shared memory, of several waves: a histogram, a maximum, tickets. 250 = 9 * 27 + 7.
//! expect u32 7*10 20*9 5*0
//! expect u32 249 31125
layout(local_size_x = 250) in;
layout(binding = 0) buffer Result { uint bins[32]; uint most, sum; };

shared uint count[32];
shared uint top, tickets, total;

void main()
{
   uint i = gl_LocalInvocationID.x;
   if (i < 32)
      count[i] = 0;
   if (i == 0)
      top = tickets = total = 0;
   barrier();
   atomicAdd(count[i % 27], 1);
   atomicMax(top, i);
   uint ticket = atomicAdd(tickets, 1);
   atomicAdd(total, ticket);
   barrier();
   if (i < 32)
      bins[i] = count[i];
   most = top;
   sum = total; // 0 + ... + 249
}
