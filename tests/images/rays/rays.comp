#version 460
/* The first triangle that each ray meets. */
#extension GL_EXT_ray_query : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 64) in;

struct ray {
   vec3 origin;
   float least;
   vec3 direction;
   float most;
   uint flags, mask, unused[2];
};

struct hit {
   float t;
   uint kind, primitive, instance;
   vec2 weights;
   uint front, steps;
};

layout(push_constant) uniform push {
   uint64_t scene;
};
layout(std430, binding = 1) readonly buffer rays {
   ray aim[];
};
layout(std430, binding = 2) writeonly buffer hits {
   hit result[];
};

void
main()
{
   uint n = gl_GlobalInvocationID.x;
   ray r = aim[n];
   rayQueryEXT query;
   rayQueryInitializeEXT(query, accelerationStructureEXT(scene), r.flags, r.mask, r.origin, r.least, r.direction,
                         r.most);
   uint steps = 0;
   while (rayQueryProceedEXT(query)) {
      /* Not opaque: every second triangle is let through. */
      if (rayQueryGetIntersectionTypeEXT(query, false) == gl_RayQueryCandidateIntersectionTriangleEXT &&
          (rayQueryGetIntersectionPrimitiveIndexEXT(query, false) & 1) == 0)
         rayQueryConfirmIntersectionEXT(query);
      steps++;
   }
   hit h = hit(0, rayQueryGetIntersectionTypeEXT(query, true), 0, 0, vec2(0), 0, min(steps, 1));
   if (h.kind == gl_RayQueryCommittedIntersectionTriangleEXT) {
      h.t = rayQueryGetIntersectionTEXT(query, true);
      h.primitive = rayQueryGetIntersectionPrimitiveIndexEXT(query, true);
      h.instance = rayQueryGetIntersectionInstanceIdEXT(query, true);
      h.weights = rayQueryGetIntersectionBarycentricsEXT(query, true);
      h.front = rayQueryGetIntersectionFrontFaceEXT(query, true) ? 1 : 0;
   }
   result[n] = h;
}
