#version 450
layout(local_size_x = 60) in;
layout(binding = 0) buffer Values { uint v[]; };

// Another one of this name. Its lines stand elsewhere, its lanes leave the loop one after the other.
void main()
{
   uint i = gl_GlobalInvocationID.x;
   for (uint k = 0; k < (i & 3u); k++)
      v[i] += k;
}
