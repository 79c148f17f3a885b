#version 460
// out and inout parameters are copied back at the return, in order, also into swizzles and array elements.
//! input f32 1 2 3 4
//! input u32 2
//! expect f32 2 1 3 4
//! expect f32 13 23
//! expect f32 7
//! steps 34 35 15 16 17 35 36 38 22 23 38 39 40 41 42 28 29 42 43
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { vec4 swapped; float a[2]; float seen; };
layout(binding = 1) readonly buffer Input { vec4 v; uint n; };

void swap(inout float x, inout float y)
{
   float t = x;
   x = y;
   y = t;
}

void divide(in float x, float by, out float quotient, out float rest)
{
   quotient = floor(x / by);
   rest = x - quotient * by;
}

float change(inout float x, float before)
{
   x = 7.0;
   return before + x * 0.0;
}

void main()
{
   vec4 w = v;
   swap(w.x, w.y);
   swapped = w;
   float parts[2];
   divide(v.w * 10.0 - 1.0, float(n) + 1.0, parts[n - 2], parts[n - 1]); // 39 = 13 * 3 + 0
   a[0] = parts[0];
   a[1] = parts[1] + 23.0;
   float x = v.x;
   float old = change(x, x);
   seen = x * old;
}
