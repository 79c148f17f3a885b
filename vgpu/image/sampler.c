/* SPDX-License-Identifier: MIT */
#include "image/sampler.h"

#include <math.h>

#include "cp/registers.h"
#include "gpu.h"
#include "isa/half.h"
#include "isa/memory.h"

static uint32_t
bits(const uint32_t *word, unsigned first, unsigned count)
{
   return word[first / 32] >> first % 32 & ((1u << count) - 1);
}

void
sampler_read(const uint32_t word[4], struct sampler *sampler)
{
   unsigned aniso = bits(word, 9, 3);
   *sampler = (struct sampler){
      .wrap = {bits(word, 0, 3), bits(word, 3, 3), bits(word, 6, 3)},
      .max_aniso = 1u << (aniso > 4 ? 4 : aniso),
      .compare = bits(word, 12, 3),
      .unnormalized = bits(word, 15, 1),
      .truncate = bits(word, 27, 1),
      .cube_wrap = !bits(word, 28, 1),
      .reduction = bits(word, 29, 2),
      .min_lod = (int)bits(word, 32, 12),
      .max_lod = (int)bits(word, 44, 12),
      .bias = (int)(bits(word, 64, 14) ^ 0x2000) - 0x2000,
      .mag = bits(word, 84, 2),
      .min = bits(word, 86, 2),
      .z = bits(word, 88, 2),
      .mip = bits(word, 90, 2),
      .skip_aniso = bits(word, 93, 1),
      .border_index = bits(word, 114, 12),
      .border = bits(word, 126, 2),
   };
}

static bool
needs_border(const struct sampler *sampler)
{
   for (unsigned i = 0; i < 3; i++)
      if (sampler->wrap[i] >= WRAP_HALF_BORDER)
         return true;
   return false;
}

/* The table of colours: TA_CS_BC_BASE_ADDR, in units of 256 bytes; four dwords a colour. */
static bool
border_register(struct wave *wave, const struct inst *inst, unsigned index, uint32_t color[4])
{
   uint64_t base = registers_get(wave->gpu, CP_RING_GFX, REG_TA_CS_BC_BASE_ADDR) |
                   (uint64_t)(registers_get(wave->gpu, CP_RING_GFX, REG_TA_CS_BC_BASE_ADDR_HI) & 0xff) << 32;
   for (unsigned i = 0; i < 4; i++) {
      uint64_t va = (base << 8) + index * 16 + i * 4;
      if (!scalar_load(wave, va, &color[i])) {
         isa_raise_memory(wave, inst, va, false);
         return false;
      }
   }
   return true;
}

/* BC_SWIZZLE: which component of the colour, that has red first, a component of the image is. */
static const uint8_t border_swizzle[8][4] = {
   {0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 1, 0}, {3, 0, 1, 2}, {2, 1, 0, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3},
};

bool
sampler_border_color(struct wave *wave, const struct inst *inst, const struct sampler *sampler,
                     const struct image *image, struct texel *color)
{
   uint32_t one = format_one(image->format);
   uint32_t rgba[4] = {0, 0, 0, sampler->border == BORDER_TRANSPARENT_BLACK ? 0 : one};
   if (sampler->border == BORDER_OPAQUE_WHITE)
      rgba[0] = rgba[1] = rgba[2] = one;
   if (sampler->border == BORDER_REGISTER && needs_border(sampler) &&
       !border_register(wave, inst, sampler->border_index, rgba))
      return false;
   for (unsigned i = 0; i < 4; i++)
      color->component[i] = rgba[border_swizzle[image->border_swizzle & 7][i]];
   return true;
}

bool
sampler_passes(enum sampler_compare compare, float reference, float texel)
{
   switch (compare) {
   case COMPARE_NEVER:
      return false;
   case COMPARE_LESS:
      return reference < texel;
   case COMPARE_EQUAL:
      return reference == texel;
   case COMPARE_LESS_EQUAL:
      return reference <= texel;
   case COMPARE_GREATER:
      return reference > texel;
   case COMPARE_NOT_EQUAL:
      return reference != texel;
   case COMPARE_GREATER_EQUAL:
      return reference >= texel;
   default:
      return true;
   }
}

static int32_t
modulo(int32_t i, int32_t n)
{
   int32_t rest = i % n;
   return rest < 0 ? rest + n : rest;
}

static int32_t
clamp(int32_t i, int32_t size)
{
   return i < 0 ? 0 : i >= size ? size - 1 : i;
}

int32_t
sampler_wrap_texel(enum sampler_wrap wrap, int32_t i, int32_t size)
{
   int32_t mirrored = i < 0 ? -1 - i : i;
   switch (wrap) {
   case WRAP_REPEAT:
      return modulo(i, size);
   case WRAP_MIRROR:
      i = modulo(i, 2 * size);
      return i < size ? i : 2 * size - 1 - i;
   case WRAP_CLAMP:
      return clamp(i, size);
   case WRAP_MIRROR_ONCE:
      return clamp(mirrored, size);
   case WRAP_HALF_BORDER:
   case WRAP_BORDER:
      return i < 0 || i >= size ? TEXEL_BORDER : i;
   default:
      return mirrored >= size ? TEXEL_BORDER : mirrored;
   }
}

/* Where a coordinate lies in texels, near enough to 0 for integers. */
static double
position(enum sampler_wrap wrap, bool unnormalized, double coordinate, int32_t size)
{
   const double far = 1 << 24;
   double u = coordinate != coordinate ? 0 : coordinate;
   double whole = unnormalized ? size : 1;
   if ((wrap == WRAP_REPEAT || wrap == WRAP_MIRROR) && fabs(u) < INFINITY)
      u -= 2 * whole * floor(u / (2 * whole)); /* exact, and mirroring has a period of two */
   if (!unnormalized)
      u *= size;
   if (wrap == WRAP_MIRROR_ONCE_HALF_BORDER)
      u = fabs(u);
   if (wrap == WRAP_HALF_BORDER || wrap == WRAP_MIRROR_ONCE_HALF_BORDER)
      u = u < 0 ? 0 : u > size ? size : u;
   return u < -far ? -far : u > far ? far : u;
}

struct axis
sampler_axis(enum sampler_wrap wrap, bool unnormalized, bool linear, bool truncate, float coordinate, int32_t size,
             int32_t offset)
{
   double u = position(wrap, unnormalized, coordinate, size);
   if (linear) {
      int64_t fixed = (int64_t)floor((u - 0.5) * 256 + 0.5);
      int32_t first = (int32_t)(fixed >> 8) + offset;
      return (struct axis){{first, first + 1}, (unsigned)(fixed & 255)};
   }
   int32_t texel = (int32_t)floor(truncate ? u : u + 1.0 / 512);
   if ((wrap == WRAP_HALF_BORDER || wrap == WRAP_MIRROR_ONCE_HALF_BORDER) && texel == size)
      texel--; /* the border is half a texel wide: the nearest one is never in it */
   return (struct axis){{texel + offset, texel + offset}, 0};
}
