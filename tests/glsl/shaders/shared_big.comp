#version 460
// 32 KiB of shared memory, each word written by one invocation and read by one of another wave.
// Invocation i reads words 32 * j to 32 * j + 31 with j = (i + 128) mod 256: their sum is 1024 * j + 496.
//! expect u32 131568 132592 133616
//! at 512
//! expect u32 496 1520
//! at 1020
//! expect u32 130544
layout(local_size_x = 256) in;
layout(binding = 0) buffer Result { uint r[256]; };

shared uint cells[8192];

void main()
{
   uint i = gl_LocalInvocationID.x;
   for (uint k = 0; k < 32; k++)
      cells[k * 256 + i] = k * 256 + i;
   barrier();
   uint sum = 0;
   uint j = (i + 128) % 256;
   for (uint k = 0; k < 32; k++)
      sum += cells[j * 32 + k];
   r[i] = sum;
}
