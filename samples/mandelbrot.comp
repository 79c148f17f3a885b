#version 450
// Iterations until a point of the plane leaves a circle: the lanes of a wave leave the loop one after the other.
layout(local_size_x = 8, local_size_y = 8) in;

layout(binding = 0) writeonly buffer Iterations { uint iterations[]; };
layout(push_constant) uniform Constants { uint size; uint limit; float step; }; // step from pixel to pixel

uint escape(vec2 c)
{
   precise vec2 z = vec2(0.0);
   uint i;
   for (i = 0; i < limit; i++) {
      precise vec2 square = z * z;
      if (square.x + square.y > 4.0)
         break;
      precise float product = z.x * z.y;
      z = vec2(square.x - square.y, product + product) + c;
   }
   return i;
}

void main()
{
   uvec2 pixel = gl_GlobalInvocationID.xy;
   if (pixel.x >= size || pixel.y >= size)
      return;

   precise vec2 c = (vec2(pixel) + 0.5) * step - vec2(2.0, 1.5);
   iterations[pixel.y * size + pixel.x] = escape(c);
}
