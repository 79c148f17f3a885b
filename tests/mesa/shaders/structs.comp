#version 460
// Variables of all shapes: nested structures, arrays of arrays indexed by values, vectors, booleans, copies.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) buffer Out { uint target[]; };

struct Leaf {
   uvec3 v;
   bool flag;
};
struct Tree {
   Leaf leaves[2];
   uint counts[3][2];
   mat2 m;
};

const uint primes[8] = uint[](2u, 3u, 5u, 7u, 11u, 13u, 17u, 19u);

Tree change(Tree t, uint x)
{
   t.leaves[x & 1u].v[x % 3u] += primes[x & 7u];
   t.leaves[1].flag = !t.leaves[0].flag;
   t.counts[x % 3u][(x >> 1) & 1u] = x;
   return t;
}

void main()
{
   uint i = gl_GlobalInvocationID.x;
   Tree t;
   t.leaves[0] = Leaf(uvec3(i, i + 1u, i + 2u), (i & 4u) != 0u);
   t.leaves[1] = t.leaves[0];
   for (uint y = 0u; y < 3u; y++)
      t.counts[y] = uint[2](y, i);
   t.m = mat2(1.0, 2.0, 3.0, float(i));

   Tree other = change(t, source[i]);
   t = change(other, i);

   uvec3 sum = t.leaves[0].v.zyx + other.leaves[1].v;
   sum.xz *= uvec2(3u, 5u);
   for (uint y = 0u; y < 6u; y++)
      sum[y % 3u] ^= t.counts[y / 2u][y % 2u] + other.counts[y / 2u][y % 2u];
   uint bits = (t.leaves[1].flag ? 1u : 0u) | (any(equal(sum, other.leaves[0].v)) ? 2u : 0u);
   target[i] = sum.x ^ (sum.y << 7) ^ (sum.z << 13) ^ bits ^ uint((t.m * vec2(1.0, 2.0)).y);
}
