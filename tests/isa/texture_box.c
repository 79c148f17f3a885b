/* SPDX-License-Identifier: MIT */
#include "texture_box.h"

#include <string.h>

struct image image;

const struct view view_plain = {IMAGE_2D, FORMAT_32_FLOAT, 4, 4, 0, 1, 0, SELECT_X001, 0, 0};
const struct view view_mipmapped = {IMAGE_2D, FORMAT_32_FLOAT, 8, 8, 0, 4, 0, SELECT_X001, 0, 0};
const struct view view_volume = {IMAGE_3D, FORMAT_32_FLOAT, 8, 8, 7, 4, 0, SELECT_X001, 0, 0};

/* RDNA3 ISA guide, 8.2.5. */
void
view_bind(const struct view *view)
{
   uint32_t *word = &box.wave.sreg[TEXTURE];
   uint64_t base = BOX_DATA_VA >> 8;
   word[0] = (uint32_t)base;
   word[1] = (uint32_t)(base >> 32 & 0xff) | (view->levels - 1) << 16 | view->format << 20 | (view->width - 1) << 30;
   word[2] = (view->width - 1) >> 2 | (view->height - 1) << 14;
   word[3] =
      view->select | view->base_level << 12 | (view->levels - 1) << 16 | view->border_swizzle << 25 | view->type << 28;
   word[4] = view->depth;
   word[5] = view->min_lod << 27;
   word[6] = view->min_lod >> 5;
   word[7] = 0;
   static const struct isa_op op = {.name = "bind"};
   static const struct inst inst = {.op = &op};
   assert_true(image_read(&box.wave, &inst, TEXTURE, false, &image));
}

uint8_t *
view_texel(unsigned level, int x, int y, int z, unsigned layer)
{
   return (uint8_t *)box.data + (image_address(&image, level, x, y, z, layer, 0) - image.base);
}

void
view_put(unsigned level, int x, int y, unsigned z_or_layer, float value)
{
   bool volume = image.type == IMAGE_3D;
   memcpy(view_texel(level, x, y, volume ? (int)z_or_layer : 0, volume ? 0 : z_or_layer), &value, sizeof value);
}

/* Wraps; filters: mag, min; mip: 1 point, 2 linear. */
void
sampler_set(unsigned wrap, unsigned filter, unsigned mip)
{
   uint32_t *word = &box.wave.sreg[SAMPLER];
   word[0] = wrap | wrap << 3 | wrap << 6 | 1 << 27;
   word[1] = 15u << 20; /* MAX_LOD 15 */
   word[2] = filter << 20 | filter << 22 | mip << 26;
   word[3] = 0;
}

void
view_fresh(const struct view *view)
{
   box_reset(&box, true);
   view_bind(view);
   sampler_set(0, 0, 0);
}

void
lanes_set(unsigned vgpr, float value)
{
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[vgpr][l] = float_bits(value);
}

void
box_look(const char *text)
{
   assert_int_equal(box_run_text(&box, text), ISA_END);
}

float
lane_get(unsigned vgpr, unsigned lane)
{
   return as_float(box.vgpr[vgpr][lane]);
}

void
lanes_set_halfs(unsigned vgpr, float low, float high)
{
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[vgpr][l] = to_half(low, ROUND_NEAREST_EVEN) | (uint32_t)to_half(high, ROUND_NEAREST_EVEN) << 16;
}

void
view_fill_levels(const struct view *view)
{
   for (unsigned level = 0; level < view->levels; level++) {
      uint32_t size[3];
      image_level_size(&image, level, size);
      for (unsigned z = 0; z < size[2]; z++)
         for (unsigned y = 0; y < size[1]; y++)
            for (unsigned x = 0; x < size[0]; x++)
               view_put(level, (int)x, (int)y, z, (float)level + 1 + 0.125f * (float)z);
   }
}
