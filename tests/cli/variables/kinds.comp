#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
// Variables of every kind, for the debugger to show and to set.
//! input f32 1 2 3 4  5 6 7 8  9 10 11 12
//! uniform f32 1 4 7 0  2 5 8 0  3 6 9 0  0.5 0 0 0  1.5
//! push-address input
//! push i32 -5
//! specialize 3 i32 7
//! expect f32 1000
layout(local_size_x = 4) in;

struct Inner {
   i16vec2 pair;
   float16_t half_way;
   bool flags[2];
};
struct Outer {
   Inner inner[2];
   double precise_one;
   int64_t big;
};
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Floats { float data[]; };

layout(binding = 0) buffer Result { float result[4]; } results;
layout(binding = 1) readonly buffer Input { vec4 vectors[3]; };
layout(binding = 2, std140) uniform Settings { layout(row_major) mat3 turn; float padded[2]; } settings;
layout(push_constant, scalar) uniform Constants { Floats floats; int shift; };
layout(constant_id = 3) const int special = 1;

shared uint counts[4][2];
int calls = 0; // of change, in this invocation

void change(inout vec3 v, const uint which, float by)
{
   v[which] += by;
   calls++;
}

void main()
{
   const uint lane = gl_LocalInvocationIndex;
   Outer outer;
   outer.inner[0] = Inner(i16vec2(1, -2), 0.5hf, bool[2](true, false));
   outer.inner[1] = Inner(i16vec2(lane), float16_t(lane), bool[2](false, lane == 1));
   outer.precise_one = 1.0lf / 3.0lf;
   outer.big = -5000000000l;
   counts[lane][0] = lane;
   counts[lane][1] = lane * lane;
   barrier();

   vec3 v = vectors[1].xyz;
   int shadow = 1;
   {
      float shadow = 2.5;
      v += shadow;
   }
   change(v, 1, 10.0);
   float sum = v.x + v.y + v.z + float(shadow + special + shift) + settings.turn[0][1] + floats.data[2];
   if (outer.big == 42l && outer.inner[1].flags[0] && counts[2][1] == 99 && calls == 3)
      sum = 1000.0;
   results.result[lane] = sum;
}
