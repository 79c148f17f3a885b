// SPDX-License-Identifier: MIT
#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"
layout(location = 0) rayPayloadInEXT Hit hit;
void main() { hit = Hit(0, 0, 0, 0, vec2(0), 0, 0); }
