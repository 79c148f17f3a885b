#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uint v[]; };

uint find(uint x)
{
   uint q = x;
   for (;;) {
      uint r = q * 5u;
      if (r > 100u)
         return r + 1u;
      q = r;
   }
}

void main()
{
   uint found = find(v[0]);
   v[1] = found;
}
