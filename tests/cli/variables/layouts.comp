#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
// Structs that each block lays out in its own way, and pointers to what is far apart.
//! input f32 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99
//! uniform f32 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
//! push-address input
//! expect f32 1
layout(local_size_x = 4) in;
struct In { float a[3]; vec3 v; };
struct Own { vec3 v; float w[2]; };
layout(buffer_reference, std430, buffer_reference_align = 64) buffer P64 { uint a; uint b; uint c; };
layout(binding = 0) buffer Result { float result[]; } results;
layout(binding = 1, scalar) readonly buffer Tight { In tight[]; };
layout(binding = 2, std140) uniform Loose { In loose[2]; float after; };
layout(push_constant) uniform PC { P64 p; } pc;
void main()
{
   Own own = Own(vec3(1, 2, 3), float[2](4.0, 5.0));
   P64 w = pc.p;
   In first = loose[1];
   results.result[gl_LocalInvocationIndex] = 1.0 + 0.0 * (own.v.x + tight[1].v.y + first.a[1] + after + float(w[1].a));
}
