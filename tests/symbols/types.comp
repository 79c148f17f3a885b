#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(constant_id = 1) const uint COUNT = 5;
layout(constant_id = 2) const bool FLAG = true;
layout(constant_id = 3) const float SCALE = 0.25;

struct Inner { float a; vec3 b; };
struct Leaf { vec2 uv; bool on; };

layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 32) buffer Node { Node next; float value; vec2 data[]; };

layout(set = 0, binding = 0, std140) uniform Std140 {
   float f;
   vec3 v3;
   float tail;
   float array[3];
   mat3x2 m;
   layout(row_major) mat3x2 rows;
   Inner inner[2];
   layout(row_major) mat2x4 many[2];
   bool flag;
} u140;

layout(set = 1, binding = 4, std430) buffer Std430 {
   float f;
   vec3 v3;
   float array[3];
   mat3x2 m;
   Inner inner[2];
   vec3 last[];
} b430[2];

layout(set = 2, binding = 3, scalar) buffer Scalar {
   float16_t h;
   int8_t c[3];
   double d;
   u16vec3 s;
   int64_t big;
   Inner inner;
};

layout(push_constant) uniform Push { Node head; uint n; } push;
layout(set = 3, binding = 0) uniform sampler2DArrayShadow shadows;
layout(set = 3, binding = 1, rgba8ui) uniform readonly uimage3D voxels;
layout(set = 3, binding = 2) uniform texture2D textures[];
shared Inner tile[COUNT * 2 + 1];
mat3 basis;

void main()
{
   Leaf leaves[2];
   f16vec3 halves = f16vec3(h);
   double wide[COUNT];
   leaves[0] = Leaf(vec2(u140.f), FLAG);
   leaves[1] = leaves[0];
   wide[1] = d * SCALE;
   basis = mat3(1.0);
   tile[gl_LocalInvocationID.x].a = u140.m[1].x + u140.rows[0].y + u140.many[1][0].x + u140.array[1] + u140.tail;
   b430[1].last[push.n] = push.head.next.next.data[2].xyy * basis + u140.inner[1].b;
   s.x += uint16_t(imageLoad(voxels, ivec3(0)).x) + uint16_t(texture(shadows, vec4(0.5)));
   big = c[2] + int(wide[1]);
   inner.b.x = leaves[1].uv.x + float(halves.y) + b430[0].f + (u140.flag ? 1.0 : 0.0);
}
