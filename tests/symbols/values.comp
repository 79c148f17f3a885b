#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { float v[]; };
layout(constant_id = 0) const uint LIMIT = 4;
struct Pair { float low; vec2 rest; };
float total;

float change(inout float x, const in float weight, Pair p)
{
   x += weight;
   total += p.rest.y;
   return x * p.low;
}

void main()
{
   uint i = gl_GlobalInvocationID.x;
   float acc = v[i];
   Pair pair;
   pair.low = v[i + 1];
   pair.rest = vec2(acc, 2.0);
   Pair copy = pair;
   total = 0.0;
   for (uint k = 0; k < LIMIT; k++) {
      float t = v[k];
      acc += change(t, acc, copy);
      copy.rest[k & 1] = t;
   }
   bool big = acc > 1.0;
   if (big)
      acc = 9.0;
   v[i] = acc + total + pair.rest.x;
}
