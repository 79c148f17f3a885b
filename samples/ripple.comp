#version 450
// One step of waves on water, in whole numbers: what is to be replaces what was before.
layout(local_size_x = 8, local_size_y = 8) in;

layout(binding = 0) buffer Before { int before[]; };
layout(binding = 1) readonly buffer Now { int now[]; };
layout(push_constant) uniform Constants { int edge; int drop; }; // a drop falls on that element, -1: none

int at(int x, int y)
{
   return x < 0 || y < 0 || x >= edge || y >= edge ? 0 : now[y * edge + x];
}

void main()
{
   int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
   if (x >= edge || y >= edge)
      return;
   int i = y * edge + x;
   int around = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
   int height = around / 2 - before[i];
   height -= height / 32;
   before[i] = i == drop ? height + 4096 : height;
}
