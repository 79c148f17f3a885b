#version 460
// Structs in structs: copied as a whole, changed in part, returned from a function.
//! input f32 1 2 3
//! input u32 7
//! expect f32 11 2 3
//! expect u32 8
//! expect f32 1 2 3
//! expect u32 7
//! steps 28 29 21 22 23 29 30 31 32 33 34 35 36 37
layout(local_size_x = 1) in;

struct Point { float x, y, z; };
struct Particle { Point at; uint kind; };
struct World { Particle particle; };

layout(binding = 0, std430) buffer Result { float moved[3]; uint moved_kind; float old[3]; uint old_kind; };
layout(binding = 1, std430) readonly buffer Input { Particle particle; };

World moved_by(World w, float dx)
{
   w.particle.at.x += dx;
   w.particle.kind++;
   return w;
}

void main()
{
   World before = World(particle);
   World after = moved_by(before, 10.0);
   moved[0] = after.particle.at.x;
   moved[1] = after.particle.at.y;
   moved[2] = after.particle.at.z;
   moved_kind = after.particle.kind;
   old[0] = before.particle.at.x;
   old[1] = before.particle.at.y;
   old[2] = before.particle.at.z;
   old_kind = before.particle.kind;
}
