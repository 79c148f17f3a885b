#version 460
layout(location = 0) in vec4 position;
layout(location = 0) out vec3 colour;
layout(location = 1) flat out int count;
layout(set = 1, binding = 0) uniform Scale { mat4 turn; float scales[16]; };
vec3 fade(vec3 c, float f)
{
   return f > 0.5 ? c * f : c + f;
}
void main()
{
   vec3 sum = vec3(0);
   for (int i = 0; i < gl_InstanceIndex; i++)
      sum += fade(position.xyz, scales[i & 15]);
   colour = sum;
   count = gl_VertexIndex % 7;
   gl_Position = turn * position;
}
