#version 460
// A volume, filtered in three directions and fetched, and the six faces of a cube.
//! images
//! expect f32~1e-5 0.0941176471 0.0941176471 0.0941176471 0.0588235294
//! expect f32~1e-5 0.0627450980 0.1254901961 0.1882352941 0.0588235294
//! expect f32~1e-5 0 0.0627450980 0.1254901961 0.1882352941 0.2509803922 0.3137254902
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { vec4 filtered, fetched; float faces[6]; };
layout(binding = 10) uniform sampler3D volume;
layout(binding = 11) uniform samplerCube cube;

const vec3 directions[6] = vec3[](vec3(1, 0.1, 0.2), vec3(-1, 0.1, 0.2), vec3(0.1, 1, 0.2), vec3(0.1, -1, 0.2),
                                  vec3(0.1, 0.2, 1), vec3(0.1, 0.2, -1));

void main()
{
   filtered = textureLod(volume, vec3(0.5), 0.0);
   fetched = texelFetch(volume, ivec3(1, 2, 3), 0);
   for (int i = 0; i < 6; i++)
      faces[i] = textureLod(cube, directions[i], 0.0).z;
}
