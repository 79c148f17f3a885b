#version 460

void main()
{
   gl_Position = vec4(gl_VertexIndex & 1, gl_VertexIndex >> 1, 0, 1);
}
