#version 460
// Functions: several calls of one, calls in calls, inout parameters, early returns, a private global variable.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) buffer Out { uint target[]; };

uint calls;

uint mix_bits(uint x, uint k)
{
   calls++;
   x ^= x >> k;
   return x * 0x9e3779b1u;
}

uint collatz(uint x, inout uint steps)
{
   for (uint i = 0; i < 40u; i++) {
      if (x == 1u)
         return i;
      x = (x & 1u) == 1u ? 3u * x + 1u : x / 2u;
      steps += mix_bits(x, 3u) & 1u;
   }
   return 40u;
}

void swap(inout uint a, inout uint b)
{
   uint t = a;
   a = b;
   b = t;
}

void main()
{
   uint i = gl_GlobalInvocationID.x;
   calls = 0u;
   uint a = mix_bits(source[i], 15u);
   uint b = mix_bits(a + i, 13u);
   uint steps = 0u;
   uint length = collatz(i + 1u, steps);
   swap(a, b);
   if (length > 20u)
      swap(a, steps);
   target[i] = a ^ (b << 1) ^ (steps << 8) ^ (length << 16) ^ calls;
}
