#version 460
#extension GL_EXT_spirv_intrinsics : require
// Integer dot products of four bytes in a word: unsigned, signed, mixed, and added to another with saturation.
//! input u32 0x04030201 0x05ff0780 0x7fffffff
//! expect u32 927
//! expect i32 -97 -97
//! expect i32 0x7fffffff 2147483550
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint u; int s, mixed, saturated, near; };
layout(binding = 1) readonly buffer Input { uint a, b; int most; };

// SPIR-V, SPV_KHR_integer_dot_product: capabilities DotProduct, DotProductInput4x8BitPacked; format 0 is 4x8.
#define DOT(number) spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = number)
DOT(4450) int sdot(uint x, uint y, spirv_literal int format);
DOT(4451) uint udot(uint x, uint y, spirv_literal int format);
DOT(4452) int sudot(uint x, uint y, spirv_literal int format);
DOT(4453) int sdot_add(uint x, uint y, int z, spirv_literal int format);

void main()
{
   u = udot(a, b, 0);                                 // 1*128 + 2*7 + 3*255 + 4*5
   s = sdot(a, b, 0);                                 // -128 + 14 - 3 + 20
   mixed = sudot(b, a, 0);                            // b has the signs
   saturated = sdot_add(a, a, most, 0);               // + 30
   near = sdot_add(a, b, most, 0);                    // - 97
}
