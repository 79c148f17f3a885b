#version 460
// Control flow: switch with fall-through, nested loops left and continued early, while, do, conditional expressions.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) buffer Out { uint target[]; };

void main()
{
   uint i = gl_GlobalInvocationID.x;
   uint x = source[i];
   uint sum = 0u;

   switch (x & 7u) {
   case 0u:
      sum = 1u;
      break;
   case 1u:
      sum = 10u;
   case 2u:
   case 3u:
      sum += 100u;
      break;
   case 4u:
      if (x > 100u)
         break;
      sum = 7u;
   default:
      sum += 1000u;
   }

   for (uint y = 0u; y < 8u; y++) {
      if (((x >> y) & 1u) == 0u)
         continue;
      for (uint z = 0u;; z++) {
         if (z > y)
            break;
         if (z == 3u)
            continue;
         sum = sum * 3u + z;
      }
      if (sum > 1000000u)
         break;
   }

   uint n = x & 15u;
   while (n > 0u) {
      n >>= 1;
      sum += n;
   }
   do {
      sum ^= n << 5;
      n++;
   } while (n < (x & 3u));

   for (uint y = 0u; y < 3u; y++) sum += y * x;

   bool odd = (sum & 1u) == 1u && x != 3u || i == 5u;
   target[i] = odd ? sum : i < 32u ? ~sum : sum + 1u;
   if (i == 63u)
      return;
   target[i] ^= 0x55u;
}
