#version 460
layout(triangles, equal_spacing) in;
layout(location = 0) in vec3 colour_out[];
layout(location = 0) out vec3 colour;
layout(location = 1) flat out int count;
void main()
{
   colour = colour_out[0] * gl_TessCoord.x + colour_out[1] * gl_TessCoord.y + colour_out[2] * gl_TessCoord.z;
   count = int(gl_TessCoord.x * 8.0);
   gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y +
                 gl_in[2].gl_Position * gl_TessCoord.z;
}
