#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// 64-bit integers: carries, borrow, multiplication, division, shifts over the middle.
//! input u64 0xffffffff 0x100000001 0x123456789abcdef0 10
//! expect u64 0x100000000 0x2 0xffffffffffffffff 0xb60b60b60b60b560
//! expect u64 1 0x123456789abcdef
//! expect u64 0x3456789abcdef000 0x12345678 0x9abcdef0
//! expect i64 -10 -1
//! expect u32 1 0
//! steps 17 18 19 20 21 22 23 24 25 26 27 28 29
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint64_t u[9]; int64_t s[2]; uint less, more; };
layout(binding = 1) readonly buffer Input { uint64_t a, b, c, d; };

void main()
{
   u[0] = a + 1ul;
   u[1] = b - a;
   u[2] = a * b;      // (2^32 - 1) * (2^32 + 1)
   u[3] = c * d;      // 0xb60b60b60b60b560
   u[4] = c / (c - d + 1ul);
   u[5] = c / 16ul;
   u[6] = c << 8 & ~0xffful;
   u[7] = c >> 32;
   u[8] = c & a;
   s[0] = -int64_t(d);
   s[1] = -int64_t(d) >> 40;
   less = uint(-int64_t(d) < int64_t(d));
   more = uint(uint64_t(-int64_t(d)) < d);
}
