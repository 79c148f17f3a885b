#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Specialization constants of several types, given, left out, and in expressions and array sizes.
//! specialize 0 u32 5
//! specialize 1 f32 2.5
//! specialize 2 u32 1
//! specialize 4 i64 -8589934592
//! expect u32 5
//! expect f32 2.5 42
//! expect u32 1 8 60
//! expect i64 -8589934591
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint a = 1;
layout(constant_id = 1) const float b = 1.0;
layout(constant_id = 2) const bool c = false;
layout(constant_id = 3) const float left_out = 42.0;
layout(constant_id = 4) const int64_t wide = 0l;
const uint next = a + 3;
layout(binding = 0) buffer Result { uint ra; float rb, rd; uint rc, re, sum; int64_t rw; };

void main()
{
   ra = a;
   rb = b;
   rc = uint(c);
   rd = left_out;
   re = next;
   uint squares[next];
   for (uint i = 0; i < next; i++)
      squares[i] = i * a;
   sum = squares[a] + squares[next - 1]; // 25 + 35
   rw = wide + 1l;
}
