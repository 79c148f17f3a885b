#version 450
#extension GL_EXT_buffer_reference : require
// One of each kind of thing that an application names.
layout(local_size_x = 64) in;

layout(buffer_reference, buffer_reference_align = 4) readonly buffer Links { uint links[]; };
layout(binding = 0) buffer Values { uint values[]; };
layout(binding = 1) buffer Nameless { uint counts[]; };
layout(binding = 2, r32f) uniform readonly image2D weights;
layout(push_constant) uniform Constants { Links first; };

void main()
{
   uint i = gl_GlobalInvocationID.x;
   uint weight = uint(imageLoad(weights, ivec2(i & 7, i >> 3)).x);
   counts[i] += weight;
   values[i] = first.links[i] + weight;
}
