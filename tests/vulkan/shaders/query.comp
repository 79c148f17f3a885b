// SPDX-License-Identifier: MIT
// Asks for the closest hit of one ray for each invocation; all triangles count, boxes are hit half way in.
#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"
layout(local_size_x = 16, local_size_y = 4) in;
void main()
{
   const uvec2 at = gl_GlobalInvocationID.xy;
   rayQueryEXT query;
   rayQueryInitializeEXT(query, accelerationStructureEXT(scene), 0, 0xff, origin(at), 0, direction, 100);
   while (rayQueryProceedEXT(query)) {
      if (rayQueryGetIntersectionTypeEXT(query, false) == gl_RayQueryCandidateIntersectionTriangleEXT)
         rayQueryConfirmIntersectionEXT(query);
      else
         rayQueryGenerateIntersectionEXT(query, BOX_DISTANCE);
   }
   Hit hit = Hit(0, 0, 0, 0, vec2(0), 0, 0);
   if (rayQueryGetIntersectionTypeEXT(query, true) != gl_RayQueryCommittedIntersectionNoneEXT) {
      hit.kind = rayQueryGetIntersectionTypeEXT(query, true);
      hit.instance = rayQueryGetIntersectionInstanceCustomIndexEXT(query, true);
      hit.primitive = rayQueryGetIntersectionPrimitiveIndexEXT(query, true);
      hit.t = rayQueryGetIntersectionTEXT(query, true);
      if (hit.kind == TRIANGLE)
         hit.barycentrics = rayQueryGetIntersectionBarycentricsEXT(query, true);
   }
   hits.hit[at.y * WIDTH + at.x] = hit;
}
