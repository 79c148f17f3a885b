// SPDX-License-Identifier: MIT
// What the shaders of rays and rays.c share: parallel rays through the middle of a grid's cells.
#define WIDTH 16
#define BOX_DISTANCE 3.5
#define TRIANGLE 1
#define BOX 2
struct Hit {
   uint kind, instance, primitive;
   float t;
   vec2 barycentrics;
   uint called, unused;
};
layout(buffer_reference, buffer_reference_align = 4) buffer Hits { Hit hit[]; };
layout(push_constant) uniform Push { uint64_t scene; Hits hits; };
const vec3 direction = vec3(0, 0, 1);
vec3 origin(uvec2 at) { return vec3(at.x + 0.25, at.y + 0.375, 0); }
