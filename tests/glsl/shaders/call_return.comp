#version 460
#extension GL_EXT_scalar_block_layout : require
//! expect u32 1
//! input u32 0..255
// Calls that return from the middle, out of branches and loops, with what they give back by parameters and globals.
layout(local_size_x = 64) in;
layout(binding = 0, scalar) buffer Result { uint one; int r[]; } o;
layout(binding = 1, scalar) readonly buffer Input { uint v[]; } i;

ivec2 range = ivec2(1, 2);

int narrow(int a, inout ivec2 p) {
   if ((p.y << 5) * range.y + 17 < a + (p.y | range.x))
      return p.x * 3;
   else
      p = ivec2(-34, 19 * 13);
   int v = range.y ^ max(range.y, p.y) ^ p.x;
   range.x = max(range.x - p.y, p.y << 2);
   return range.y + v;
}

bool search(int key, inout int at, out int steps) {
   steps = 0;
   for (int row = 0; row < 4; row++) {
      int sum = row;
      for (int column = 0; column < 4; column++) {
         steps++;
         if (sum > key) {
            at = 100 + column;
            return true;
         }
         sum += column * 3;
         at++;
      }
      at += sum;
   }
   return false;
}

void main() {
   int id = int(gl_LocalInvocationIndex);
   int n = int(i.v[id]) & 3, s = 0, at = id, steps;
   if (id == 2 || id == 3)
      s = 1;
   else
      s = narrow(id, range);
   for (int k = 0; k < n; k++) {
      s += narrow(16, range);
      if (search(k * 9 + n, at, steps))
         s += steps;
   }
   o.r[id] = s + range.x + at;
   if (id == 0)
      o.one = 1u;
}
