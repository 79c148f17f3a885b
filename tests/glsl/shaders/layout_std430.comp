#version 460
// Storage buffers in std430: arrays of float are dense, a vec3 is aligned to 16, a struct to its largest member.
//! input f32 1 2 3 0  4 5 6 7  8 0
//! input f32 9 10 11 12
//! expect f32 1 2 3
//! at 16
//! expect f32 4 5 6 7 8
//! at 40
//! expect f32 9 10 11 12
layout(local_size_x = 1) in;

struct Pair { vec2 v; };
struct Block { float a[3]; vec3 b; float c; float d; Pair e[2]; };

layout(binding = 0, std430) buffer Result { Block r; };
layout(binding = 1, std430) readonly buffer Input { Block s; };

void main()
{
   r.a = s.a;
   r.b = s.b;
   r.c = s.c;
   r.d = s.d;
   r.e = s.e;
}
