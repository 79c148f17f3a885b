// SPDX-License-Identifier: MIT
#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"
layout(location = 0) rayPayloadInEXT Hit hit;
hitAttributeEXT vec2 barycentrics;
void main()
{
   hit.kind = gl_HitKindEXT == BOX ? BOX : TRIANGLE;
   hit.instance = gl_InstanceCustomIndexEXT;
   hit.primitive = gl_PrimitiveID;
   hit.t = gl_HitTEXT;
   hit.barycentrics = gl_HitKindEXT == BOX ? vec2(0) : barycentrics;
}
