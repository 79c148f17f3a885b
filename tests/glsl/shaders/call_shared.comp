#version 460
// Functions that work on shared memory and on globals of the invocation.
//! expect u32 0 2 4 6 8 10 12 14
//! at 252
//! expect u32 126
//! steps 11 27 28 15 16 29 30 21 22 30 31
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint r[64]; };

shared uint cells[64];
uint count = 0; // one for each invocation

void put(uint i, uint value)
{
   cells[i] = value;
   count++;
}

uint get(uint i)
{
   count++;
   return cells[i];
}

void main()
{
   uint i = gl_LocalInvocationID.x;
   put(63 - i, i);
   barrier();
   uint other = get(63 - i); // written by this very invocation: i
   r[i] = other * count;
}
