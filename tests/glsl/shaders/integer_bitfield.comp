#version 460
// bitfieldExtract with and without sign, bitfieldInsert, with offset and width from memory, also width 0 and 32.
//! input u32 0xabcd1234 0x0000007f
//! input i32 0 4 28 8 0   32 8 4 0 16
//! expect u32 0xabcd1234 0x23 0xa 0 0x1234
//! expect i32 0xabcd1234 0x23 -6 0 0x1234
//! expect u32 0x7f 0xabcd17f4 0xfbcd1234 0xabcd1234 0xabcd007f
//! steps 15 16 17 18
layout(local_size_x = 5) in;
layout(binding = 0) buffer Result { uint extracted[5]; int sextracted[5]; uint inserted[5]; };
layout(binding = 1) readonly buffer Input { uint base, field; int offset[5], width[5]; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   extracted[i] = bitfieldExtract(base, offset[i], width[i]);
   sextracted[i] = bitfieldExtract(int(base), offset[i], width[i]);
   inserted[i] = bitfieldInsert(base, field, offset[i], width[i]);
}
