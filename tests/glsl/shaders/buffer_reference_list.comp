#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// A linked list: nodes that hold the next node's address. It is built first, then walked.
//! push-address result
//! expect u32 150
//! at 12
//! expect u32 5
//! steps 23 24 25 18 25 26 27 18 27 24 25 18 25 26 27 18 27 24 25 18 25 26 27 18 27 24 25 18 25 26 27 18 27 24 25
//! steps 18 25 26 27 24 29 30 18 30 31 32 33 34 31 32 33 34 31 32 33 34 31 32 33 34 31 32 33 34 31 36 37
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { uvec2 next; uint value; uint count; };
layout(push_constant) uniform Push { uvec2 base; };

uvec2 node_at(uint i)
{
   return uvec2(base.x + 64 * i, base.y); // within one 4 GiB
}

void main()
{
   uint n = 5;
   for (uint i = 1; i <= n; i++) {
      Node node = Node(node_at(i));
      node.value = 10 * i;
      node.next = i < n ? node_at(i + 1) : uvec2(0);
   }
   uint sum = 0, length = 0;
   uvec2 at = node_at(1);
   while (at != uvec2(0)) {
      sum += Node(at).value;
      length++;
      at = Node(at).next;
   }
   Node(base).next = uvec2(sum, 0);
   Node(base).count = length;
}
