// SPDX-License-Identifier: MIT
// out[i] = i * factor + base
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words to; uint factor, base; };
void main() { to.word[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * factor + base; }
