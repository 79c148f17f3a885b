/* SPDX-License-Identifier: MIT */
#include "image/cube.h"

/* The directions in which x, y and the outside of each face point: axis, and whether it is negative (Vulkan 1.3,
 * 16.5.4, table of cube map faces). */
static const struct direction {
   uint8_t axis, negative;
} faces[6][3] = {
   {{2, 1}, {1, 1}, {0, 0}}, {{2, 0}, {1, 1}, {0, 1}}, {{0, 0}, {2, 0}, {1, 0}},
   {{0, 0}, {2, 1}, {1, 1}}, {{0, 0}, {1, 1}, {2, 0}}, {{0, 1}, {1, 1}, {2, 1}},
};

/*
 * A face spans -size to size in both directions and is `size` away from the centre; texels' centres are odd steps
 * apart. Folded over the edge, a texel one beyond it lies on the neighbour, one half texel below the edge.
 */
bool
cube_across_edge(struct cube_texel *texel, int32_t size)
{
   int32_t local[3] = {2 * texel->x + 1 - size, 2 * texel->y + 1 - size, size};
   bool out_x = texel->x < 0 || texel->x >= size, out_y = texel->y < 0 || texel->y >= size;
   if (!out_x && !out_y)
      return true;
   if (out_x && out_y)
      return false;
   unsigned over = out_x ? 0 : 1;
   local[over] = local[over] < 0 ? -size : size;
   local[2] = size - 1;

   int32_t place[3];
   for (unsigned i = 0; i < 3; i++) {
      struct direction to = faces[texel->face][i];
      place[to.axis] = to.negative ? -local[i] : local[i];
   }
   struct direction outside = faces[texel->face][over];
   unsigned negative = outside.negative ^ (local[over] < 0);
   texel->face = outside.axis * 2u + negative;
   const struct direction *in = faces[texel->face];
   int32_t x = in[0].negative ? -place[in[0].axis] : place[in[0].axis];
   int32_t y = in[1].negative ? -place[in[1].axis] : place[in[1].axis];
   texel->x = (x + size - 1) / 2;
   texel->y = (y + size - 1) / 2;
   return true;
}
