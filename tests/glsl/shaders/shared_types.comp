#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Shared memory of all widths: bytes, halves, words, long words, vectors.
//! expect u32 62 124 186 310 930
//! at 24
//! expect f32 0 3 6 9
//! expect f64 0.75
layout(local_size_x = 32) in;
layout(binding = 0, std430) buffer Result { uint b, h, w, l, v; uint pad; float f[4]; double d; };

shared uint8_t bytes[32];
shared uint16_t halves[32];
shared uint words[32];
shared uint64_t longs[32];
shared uvec3 vectors[32];
shared float16_t floats[32];
shared double doubles[32];

void main()
{
   uint i = gl_LocalInvocationID.x, other = 31 - i;
   bytes[i] = uint8_t(2 * i);
   halves[i] = uint16_t(4 * i);
   words[i] = 6 * i;
   longs[i] = uint64_t(10 * i) << 32;
   vectors[i] = uvec3(5 * i, 10 * i, 15 * i);
   floats[i] = float16_t(i) * 3.0hf;
   doubles[i] = double(i) * 0.25lf;
   barrier();
   if (other == 31) {
      b = uint(bytes[other]);
      h = uint(halves[other]);
      w = words[other];
      l = uint(longs[other] >> 32);
      uvec3 x = vectors[other];
      v = x.x + x.y + x.z; // 30 * 31
      for (uint k = 0; k < 4; k++)
         f[k] = float(floats[k]);
      d = doubles[3];
   }
}
