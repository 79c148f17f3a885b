#version 460
// min, max, clamp, abs, sign, mix, step, smoothstep.
//! input f32 -3 0.5 2 10
//! expect f32 -3 10 2 3 -1 0 1
//! expect f32~2ulp 4.25 0 1 0.15625
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { float r[11]; };
layout(binding = 1) readonly buffer Input { float a, b, c, d; };

void main()
{
   r[0] = min(a, b);
   r[1] = max(d, a);
   r[2] = clamp(d, b, c);
   r[3] = abs(a);
   r[4] = sign(a);
   r[5] = sign(b - 0.5);
   r[6] = sign(d);
   r[7] = mix(c, d - 3.5, b);
   r[8] = step(c, b);
   r[9] = step(b, b);
   r[10] = smoothstep(0.0, c, b);
}
