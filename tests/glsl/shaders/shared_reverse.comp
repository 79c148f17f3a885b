#version 460
// Shared memory and barriers: an array reversed by 256 invocations, that is several waves.
//! expect u32 255 254 253
//! at 1020
//! expect u32 0
layout(local_size_x = 256) in;
layout(binding = 0) buffer Result { uint r[256]; };

shared uint cells[256];

void main()
{
   uint i = gl_LocalInvocationID.x;
   cells[i] = i;
   barrier();
   r[i] = cells[255 - i];
}
