#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { float v[]; };
#define LOOP(i, n) for (int i = 0; i < n; i++)
void main()
{
   float a = 24.0, c = 0.0;
   {
      uint a = 7u; { bool a = c > 1.0; c += a ? 1.0 : 2.0; }
      c += float(a);
   }
   for (int a = 0; a < 2; a++) c += float(a);
   c += a;
   LOOP(a, 3)
   {
      c += float(a);
   }
   c *= 2.0;
   c += a;
   LOOP(a, 3) c += float(a);
   v[1] = c;
}
