#version 460
// min, max, clamp, abs, sign, mix by a boolean: signed and unsigned, also at the ends of the range.
//! input i32 -2147483648 2147483647 -1 0
//! expect i32 -2147483648 2147483647 -1 1 0
//! expect u32 2147483647 0xffffffff
//! expect i32 2147483647 -10 7
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { int low, high, s1, s2, s3; uint ulow, uhigh; int a, clamped, mixed; };
layout(binding = 1) readonly buffer Input { int least, most, minus, zero; };

void main()
{
   low = min(least, most);
   high = max(least, most);
   s1 = sign(least);
   s2 = sign(most);
   s3 = sign(zero);
   ulow = min(uint(least), uint(most));
   uhigh = max(uint(minus), uint(least));
   a = abs(least + 1);
   clamped = clamp(least, -10, 10);
   mixed = mix(3, 7, zero > minus);
}
