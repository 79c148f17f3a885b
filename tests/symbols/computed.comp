#version 450
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uint v[]; };
layout(push_constant) uniform P { layout(offset = 16) uint scale; };
uint twist(uint x) { return (x ^ 21u) * 2u; }
void main()
{
   uint i = gl_LocalInvocationID.x;
   uint at = i * scale + 3u;
   uint a = v[i], far = v[at];
   uint b = (a ^ 5u) >> 2;
   float g = uintBitsToFloat(a), h = g + 1.0, n = -g;
   uint known = a > 7u ? at : b, half_known = a > 8u ? at : far;
   bool any = subgroupAny((i & 1u) == 1u), any_big = subgroupAny(a > 9u), all = subgroupAll(g < 0.0);
   uvec4 ballot = subgroupBallot(i > 3u), nested = subgroupBallot(any && i > 3u);
   v[0] = known;
   uint last = 0, k = 1;
   do {
      last = k * 3u;
      k = k + 2u;
      v[k] = last;
   } while (k < a);
   v[1] = last;
   uint c = 1;
   if (b > 4u) {
      c = a + 9u;
      v[2] = c;
   }
   v[3] = c;
   uint before = 0;
   for (uint j = 0; j < a; j++) {
      uint t = v[j + 4u], next = t + 11u;
      v[j] = before;
      before = next;
   }
   uint set[2] = uint[](7u, 8u);
   set[a & 1u] = b;
   uint got = set[i & 1u];
   v[5] = got + set[0];
   uint turned = 0, m = 1;
   do {
      turned = twist(m);
      m = m + 3u;
   } while (m < a);
   v[6] = turned;
   bool late = subgroupAll(i < 7u);
   v[7] = uint(late);
}
