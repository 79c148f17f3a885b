#version 460
layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) in vec3 colour[];
layout(location = 1) flat in int count[];
layout(location = 0) out vec3 colour_out;
layout(location = 1) flat out int count_out;
void main()
{
   for (int copy = 0; copy < 1 + (count[0] & 1); copy++) {
      for (int i = 0; i < 3; i++) {
         colour_out = colour[i] + float(copy);
         count_out = count[i];
         gl_Position = gl_in[i].gl_Position + vec4(copy);
         EmitVertex();
      }
      EndPrimitive();
   }
}
