#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Stores to an address where nothing is, or loops without end.
layout(local_size_x = 64) in;

layout(buffer_reference, buffer_reference_align = 4) buffer Values { uint values[]; };
layout(push_constant) uniform Constants { uvec2 address; uint step; };

void main()
{
   Values pointer = Values(address);
   uint value = 1;
   while (value < 100)
      value += step; // without end if 0
   pointer.values[gl_GlobalInvocationID.x] = value;
}
