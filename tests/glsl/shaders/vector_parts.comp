#version 460
// Vectors from each kind of memory, of which the first components are not used: compilers do not load those.
//! input f32 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//! input f32 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
//! uniform f32 100 101 102 103 104 105 106 107
//! push f32 10 20 30 40 50 60 70 80
//! expect f32 168.1875 214.1875 298.1875 404.1875
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { float sums[4]; };
layout(binding = 1) readonly buffer Input { vec4 items[8]; };
layout(binding = 2) uniform Uniform { vec4 constants[2]; };
layout(push_constant) uniform Push { vec4 pushed[2]; };
shared vec4 staged[4];

void main()
{
   uint id = gl_LocalInvocationIndex;
   staged[id] = vec4(id) + vec4(0.0, 0.25, 0.5, 0.75);
   barrier();
   vec4 a = items[id];
   float sum = a.y + a.z * a.w;
   vec4 b = constants[id & 1u];
   sum += b.y;
   vec4 c = pushed[gl_WorkGroupID.x];
   sum += c.w;
   vec4 d = staged[id ^ 1u];
   sum += d.y * d.w;
   vec3 e = items[id + 4u].xyz;
   sum += e.z;
   sums[id] = sum;
}
