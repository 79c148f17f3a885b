#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { float v[]; };
layout(push_constant) uniform P { float a; uint n; };

float scale(float x)
{
   float y = x * a;
   if (y > 3.0)
      y = y - 1.0;
   return y;
}

void main()
{
   uint i = gl_GlobalInvocationID.x;
   if (i >= n)
      return;
   float acc = 0.0;
   for (int k = 0; k < 4; k++) {
      acc += scale(v[i]);
      acc += 1.0; acc *= 2.0;
   }
   v[i] = acc;
}
