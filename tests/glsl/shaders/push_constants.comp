#version 460
// Push constants of several types and a vector picked by a variable index.
//! push u32 3
//! push f32 1.5
//! push i32 -2 9
//! push f32 10 20 30 40
//! push u32 2
//! expect u32 3
//! expect f32 1.5
//! expect i32 -2 9
//! expect f32 30
//! expect f32 -3
//! steps 20 21 22 23 24 25
layout(local_size_x = 1) in;
layout(push_constant) uniform Push { uint a; float b; ivec2 c; vec4 d; uint which; };
layout(binding = 0) buffer Result { uint ra; float rb; int rc[2]; float rd, product; };

void main()
{
   ra = a;
   rb = b;
   rc[0] = c.x;
   rc[1] = c.y;
   rd = d[which];
   product = b * float(c.x);
}
