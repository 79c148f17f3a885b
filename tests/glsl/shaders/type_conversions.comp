#version 460
// Between float, int and uint: cut towards zero, all the range, bit casts.
//! input f32 -1.75 4294967040 2147483520 0.99999 -0
//! input i32 -1 16777217
//! input u32 4294967295
//! expect i32 -1 2147483520 0
//! expect u32 4294967040
//! expect f32 -1 16777216 4294967296
//! expect u32 0x80000000 0xbfe00000
//! expect f32 nan
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { int i[3]; uint u; float f[3]; uint bits[2]; float not_a_number; };
layout(binding = 1) readonly buffer Input { float a[5]; int s[2]; uint all; };

void main()
{
   i[0] = int(a[0]);
   i[1] = int(a[2]);
   i[2] = int(a[3]);
   u = uint(a[1]);
   f[0] = float(s[0]);
   f[1] = float(s[1]);
   f[2] = float(all);
   bits[0] = floatBitsToUint(a[4]);
   bits[1] = floatBitsToUint(a[0]);
   not_a_number = intBitsToFloat(s[0]);
}
