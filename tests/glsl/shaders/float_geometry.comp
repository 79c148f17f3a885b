#version 460
// dot, cross, length, distance, normalize, reflect, refract, faceforward.
//! input f32 1 2 3  4 -5 6  2 3 6
//! expect f32 12 27 6 -13
//! expect f32~4ulp 7 8.18535277 0.285714286 0.428571429 0.857142857
//! expect f32~1e-6 1 1 0  0 -1 0  0 1 0
//! steps 21 22 23 14 15 16 24 25 26 14 15 16 27 28 29 14 15 16 30 14 15 16 31 14 15 16
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { float r[18]; };
layout(binding = 1) readonly buffer Input { float v[9]; };

void put(uint at, vec3 x)
{
   r[at] = x.x;
   r[at + 1] = x.y;
   r[at + 2] = x.z;
}

void main()
{
   vec3 a = vec3(v[0], v[1], v[2]), b = vec3(v[3], v[4], v[5]), c = vec3(v[6], v[7], v[8]);
   r[0] = dot(a, b);
   put(1, cross(a, b));
   r[4] = length(c);
   r[5] = distance(a, b);
   put(6, normalize(c));
   vec3 up = vec3(0, a.x, 0);
   vec3 ray = vec3(a.x, -a.x, 0);
   put(9, reflect(ray, up));
   put(12, refract(-up, up, 1.5));
   put(15, faceforward(up, ray, up));
}
