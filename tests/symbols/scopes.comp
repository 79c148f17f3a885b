#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { float v[]; };
float twice(float i) { return i * 2.0; }
void main()
{
   int i = 7;
   float y;
   for (int i = 0; i < 3; i++)
      v[i] = float(i);
   if (v[0] > 1.0) {
      int i = 9;
      y = float(i);
   }
   for (int i = 0, j = 2; i < 3; i++, j++) {
      float t = float(i) * twice(v[j]);
      v[i + j] = t;
   }
   for (float q = 1.0; q < 3.0; q += 1.0) for (int k = 0; k < 2; k++) v[k] += q;
   v[5] = float(i) + y;
}
