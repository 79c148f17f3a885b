#version 460
layout(vertices = 3) out;
layout(location = 0) in vec3 colour[];
layout(location = 1) flat in int count[];
layout(location = 0) out vec3 colour_out[];
void main()
{
   colour_out[gl_InvocationID] = colour[gl_InvocationID] * float(count[gl_InvocationID]);
   gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
   if (gl_InvocationID == 0) {
      gl_TessLevelInner[0] = 2.0 + colour[0].x;
      for (int i = 0; i < 3; i++)
         gl_TessLevelOuter[i] = 1.0 + colour[i].y;
   }
}
