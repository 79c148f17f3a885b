// SPDX-License-Identifier: MIT
// Each invocation changes one word.
#version 460
#extension GL_EXT_buffer_reference : require

layout(local_size_x = 64) in;

layout(buffer_reference, std430) buffer Words {
   uint word[];
};

layout(push_constant) uniform Constants {
   Words words;
   uint factor;
};

void
main()
{
   uint i = gl_GlobalInvocationID.x;
   words.word[i] = words.word[i] * factor + i;
}
