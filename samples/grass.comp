#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
// The compute pass of a grass renderer: which blades are seen, and in how much detail. Everything is reached by its
// address, as in an engine without descriptors; the draws that follow take their counts and lists from here.
layout(local_size_x = 64) in;

struct Blade {
   vec3 root;
   float height;
};

struct Draw { // VkDrawIndexedIndirectCommand
   uint index_count, instance_count, first_index;
   int vertex_offset;
   uint first_instance;
};

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Blades { Blade blades[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Camera {
   vec4 planes[5]; // of the frustum: normal, inwards, and distance
   vec3 eye;
   float near; // blades beyond are drawn with less detail
};
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Draws { Draw draws[2]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Indices { uint indices[]; };

layout(push_constant, scalar) uniform Constants {
   Blades field;
   Camera camera;
   Draws commands;
   Indices visible; // n for each level of detail
   uint n;
};

// Integer noise: the same on every GPU. Two rounds of xor and multiply.
uint noise(uint x)
{
   x ^= x >> 16;
   x *= 0x7feb352du;
   x ^= x >> 15;
   x *= 0x846ca68bu;
   return x ^ x >> 16;
}

bool in_frustum(vec3 center, float radius)
{
   for (int i = 0; i < 5; i++) {
      vec4 plane = camera.planes[i];
      precise float distance = plane.x * center.x + plane.y * center.y + plane.z * center.z + plane.w;
      if (distance < -radius)
         return false;
   }
   return true;
}

void main()
{
   uint i = gl_GlobalInvocationID.x;
   if (i >= n)
      return;

   Blade blade = field.blades[i];
   uint random = noise(i);
   blade.root.x += float(random & 15) * 0.0625; // off the grid
   blade.root.z += float(random >> 4 & 15) * 0.0625;

   float radius = blade.height * 0.5;
   vec3 center = blade.root + vec3(0.0, radius, 0.0);
   if (!in_frustum(center, radius))
      return;

   vec3 away = center - camera.eye;
   precise float distance2 = away.x * away.x + away.y * away.y + away.z * away.z;
   uint detail = distance2 < camera.near * camera.near ? 0 : 1;
   if (detail == 1 && (random & 0x300) == 0)
      return; // every fourth far blade is not missed

   uint slot = atomicAdd(commands.draws[detail].instance_count, 1);
   visible.indices[detail * n + slot] = i;
}
