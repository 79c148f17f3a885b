#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
// Buffers reached by their address from push constants; arithmetic on addresses.
//! push-address input result
//! input u32 1 2 3 4 5 6
//! expect u32 2 4 6 8
//! expect u32 6
layout(local_size_x = 4) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint value; };
layout(push_constant) uniform Push { Word from, to; };

void main()
{
   uint i = gl_LocalInvocationID.x;
   Word source = from + i;
   to[i].value = 2 * source.value;
   if (i == 3)
      to[4].value = from[5].value;
}
