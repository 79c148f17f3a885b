#version 450
// The force of a spring between two points. It has a bug.
layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer Ends { vec4 ends[]; }; // one end in xy, the other in zw
layout(binding = 1) writeonly buffer Forces { vec2 forces[]; };
layout(push_constant) uniform Constants { uint n; float rest; float stiffness; };

vec2 spring(vec2 a, vec2 b)
{
   vec2 d = b - a;
   float length2 = dot(d, d);
   vec2 direction = d * inversesqrt(length2);
   float stretch = sqrt(length2) - rest;
   return direction * (stiffness * stretch);
}

void main()
{
   uint i = gl_GlobalInvocationID.x;
   if (i >= n)
      return;

   vec4 e = ends[i];
   forces[i] = spring(e.xy, e.zw);
}
