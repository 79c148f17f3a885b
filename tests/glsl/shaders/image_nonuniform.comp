#version 460
#extension GL_EXT_nonuniform_qualifier : require
// An array of sampled images, picked by a value that differs between invocations.
//! images
//! input u32 0 1 2 3 3 2 1 0
//! expect f32~1e-6 0.0588235294 0.1215686275 0.1843137255 0.2470588235
//! expect f32~1e-6 0.2470588235 0.1843137255 0.1215686275 0.0588235294
layout(local_size_x = 8) in;
layout(binding = 0) buffer Result { float r[8]; };
layout(binding = 1) readonly buffer Input { uint which[8]; };
layout(binding = 9) uniform sampler2D images[4];

void main()
{
   uint i = gl_LocalInvocationIndex;
   r[i] = textureLod(images[nonuniformEXT(which[i])], vec2(0.1), 0.0).a;
}
