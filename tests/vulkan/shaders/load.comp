// SPDX-License-Identifier: MIT
// to[0] = from[0]
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words from, to; };
void main() { to.word[0] = from.word[0]; }
