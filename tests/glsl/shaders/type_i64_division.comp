#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// 64-bit division and remainder with all signs: quotients are cut towards zero.
//! input i64 1000000000007 -1000000000007 1000000000007 -1000000000007
//! input i64 1000003 1000003 -1000003 -1000003
//! expect i64 999997 -999997 -999997 999997
//! expect u64 9
//! expect u64 0x7fffffffffffffff
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { int64_t q[4]; uint64_t rest, half_of_all; };
layout(binding = 1) readonly buffer Input { int64_t a[4], b[4]; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   q[i] = a[i] / b[i];
   if (i == 0) {
      uint64_t all = uint64_t(b[3] - b[3]) - 1ul;
      rest = uint64_t(a[0]) - uint64_t(q[0]) * uint64_t(b[0]) - 7ul; // 1000000000007 - 999997 * 1000003 = 16
      half_of_all = all / uint64_t(b[0] - 1000001l);
   }
}
