#version 460
layout(location = 0) in vec3 colour;
layout(location = 1) flat in int count;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) buffer Seen { uint seen[]; };
void main()
{
   vec3 c = colour;
   for (int i = 0; i < count; i++)
      c = mix(c, c.zxy, dFdx(c.x));
   if (c.x < 0.0)
      discard;
   atomicAdd(seen[uint(gl_FragCoord.x) & 63u], 1u);
   result = vec4(c, 1.0);
}
