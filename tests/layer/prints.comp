#version 460
#extension GL_EXT_debug_printf : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
// What prints.c checks, in a module without debug information.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint ended; uint values[]; };
layout(buffer_reference, std430) buffer Anywhere { uint value; };
layout(push_constant) uniform Constants { uint what; uint count; uint64_t address; };

void print_formats(uint i)
{
   int s = -int(i) - 1;
   float f = float(i) + 0.25;
   vec3 v = vec3(f, -f, 1e-3);
   if (i == 5) debugPrintfEXT("one line %u", i);
   if (i != 0 && i != 33)
      return;
   debugPrintfEXT("%d %i %u %x %X %o|%5d|%-5d|%05u|%+d 100%%\n", s, s, i, i + 0xab, i + 0xab, i, s, s, i, s);
   debugPrintfEXT("%f %e %g %a %.2f %8.3f\n", f, f, f, f, f, f);
   debugPrintfEXT("%v2d %v3f %1.1v3f %v4u\n", ivec2(s, 7), v, v, uvec4(i, 1, 2, 3));
   uint64_t wide = 0x123456789abcdef0ul + i;
   debugPrintfEXT("%lu %ul %lx %ld|%v2lu\n", wide, wide, wide, int64_t(s), u64vec2(wide, 1ul << 40));
   debugPrintfEXT("%d %u %f %d %u\n", int16_t(s), uint16_t(0xfff0u + i), float16_t(f), int8_t(s), uint8_t(0xf0u + i));
   debugPrintfEXT("%d %u %f\n", i == 0, i == 33, double(f) * 3.0lf);
   debugPrintfEXT("%4s|%-4s|%.2s|%100d\n", i, i, f, s);
   debugPrintfEXT("plain\n");
}

void main()
{
   uint i = gl_GlobalInvocationID.x;
   if (what == 0)
      print_formats(i);
   for (uint n = 0; what != 0 && n < count; n++)
      debugPrintfEXT("%u of %u", n, i);
   if (what == 2)
      Anywhere(address + i * 4).value = i;
   values[i] = i + 1;
   atomicAdd(ended, 1);
}
