/* SPDX-License-Identifier: MIT */
#include "image/filter.h"

#include <math.h>

#include "image/cube.h"
#include "isa/half.h"

static float
clamp_unit(float value)
{
   return value < 0 ? 0 : value > 1 ? 1 : value;
}

/* Depth comparison comes before filtering (Vulkan 1.3, 16.3.6); the reference is clamped if depth cannot leave 0..1. */
static void
compare(const struct lookup *lookup, struct texel *texel)
{
   float reference = lookup->image->format->kind == FORMAT_UNORM ? clamp_unit(lookup->reference) : lookup->reference;
   bool passes = sampler_passes(lookup->sampler->compare, reference, as_float(texel->component[lookup->depth_from]));
   for (unsigned i = 0; i < 4; i++)
      texel->component[i] = passes ? float_bits(1) : 0;
}

/* A texel of the level, or of the border. */
static bool
fetch(struct lookup *lookup, unsigned level, const int32_t at[3], unsigned face, struct texel *texel)
{
   const struct image *image = lookup->image;
   bool border = false;
   for (unsigned i = 0; i < lookup->axes; i++)
      border |= at[i] == TEXEL_BORDER;
   int32_t z = image->type == IMAGE_3D && lookup->axes < 3 ? lookup->slice : at[2];
   if (border)
      *texel = lookup->border;
   else if (!image_fetch(lookup->wave, lookup->inst, image, level, at[0], at[1], z, lookup->layer + face, 0, texel,
                         &lookup->resident))
      return false;
   if (lookup->compare)
      compare(lookup, texel);
   return true;
}

static bool
seamless(const struct lookup *lookup)
{
   return lookup->cube && lookup->sampler->cube_wrap;
}

/* Nothing there: beyond a cube's corner the three texels around it stand for the fourth (Vulkan 1.3, 16.5.6). */
static bool
fetch_at(struct lookup *lookup, unsigned level, const int32_t at[3], const int32_t size[3], struct texel *texel,
         bool *corner)
{
   *corner = false;
   if (!seamless(lookup)) {
      int32_t wrapped[3] = {0};
      for (unsigned i = 0; i < lookup->axes; i++)
         wrapped[i] = sampler_wrap_texel(lookup->sampler->wrap[i], at[i], size[i]);
      return fetch(lookup, level, wrapped, lookup->face, texel);
   }
   struct cube_texel on = {lookup->face, at[0], at[1]};
   for (unsigned i = 0; i < 2; i++) {
      int32_t *along = i ? &on.y : &on.x;
      *along = *along < -1 ? -1 : *along > size[i] ? size[i] : *along;
   }
   *corner = !cube_across_edge(&on, size[0]);
   return *corner || fetch(lookup, level, (int32_t[3]){on.x, on.y, 0}, on.face, texel);
}

static void
add(const struct lookup *lookup, const struct texel *texel, double weight, struct blend *blend)
{
   enum sampler_reduction reduction = lookup->sampler->reduction;
   blend->texel = *texel;
   for (unsigned i = 0; i < 4; i++) {
      double value = as_float(texel->component[i]), *sum = &blend->sum[i];
      if (reduction == REDUCTION_BLEND)
         *sum += value * weight;
      else if (!blend->any || (reduction == REDUCTION_MIN ? value < *sum : value > *sum))
         *sum = value;
   }
   blend->any = true;
}

/* The axes of a lookup in a level; those that are not filtered have one texel. */
static void
find_axes(const struct lookup *lookup, const float coordinate[3], unsigned level, bool bilinear, bool gather,
          struct axis axis[3], int32_t size[3])
{
   const struct sampler *sampler = lookup->sampler;
   uint32_t texels[3];
   image_level_size(lookup->image, level, texels);
   for (unsigned i = 0; i < 3; i++) {
      size[i] = (int32_t)texels[i];
      axis[i] = (struct axis){{0, 0}, 0};
      if (i >= lookup->axes)
         continue;
      bool linear = i == 2 && sampler->z != FILTER_NONE ? sampler->z == FILTER_LINEAR : bilinear;
      if (format_is_integer(lookup->image->format) && !gather)
         linear = false;
      enum sampler_wrap wrap = sampler->wrap[i];
      /* The nearest texel of a face is on it. */
      if (seamless(lookup) || (lookup->cube && !linear))
         wrap = WRAP_CLAMP;
      axis[i] = sampler_axis(wrap, sampler->unnormalized, linear, sampler->truncate && !gather, coordinate[i], size[i],
                             lookup->offset[i]);
      if (lookup->cube && !linear)
         axis[i].texel[0] = axis[i].texel[1] = sampler_wrap_texel(WRAP_CLAMP, axis[i].texel[0], size[i]);
   }
}

bool
filter_level(struct lookup *lookup, const float coordinate[3], unsigned level, bool bilinear, double weight,
             struct blend *blend)
{
   struct axis axis[3];
   int32_t size[3];
   find_axes(lookup, coordinate, level, bilinear, false, axis, size);
   struct texel texel[8];
   double share[8], beyond = 0;
   unsigned count = 0;
   for (unsigned n = 0; n < 8; n++) {
      int32_t at[3];
      double part = weight;
      for (unsigned i = 0; i < 3; i++) {
         bool second = n >> i & 1;
         at[i] = axis[i].texel[second];
         part *= (second ? axis[i].weight : 256 - axis[i].weight) / 256.0;
      }
      if (part == 0) /* also keeps infinities and NaN out */
         continue;
      bool corner;
      if (!fetch_at(lookup, level, at, size, &texel[count], &corner))
         return false;
      if (corner)
         beyond = part;
      else
         share[count++] = part;
   }
   for (unsigned n = 0; n < count; n++)
      add(lookup, &texel[n], share[n] + beyond / count, blend);
   return true;
}

struct texel
filter_result(const struct lookup *lookup, const struct blend *blend)
{
   if (format_is_integer(lookup->image->format))
      return blend->texel;
   struct texel texel;
   for (unsigned i = 0; i < 4; i++)
      texel.component[i] = float_bits((float)blend->sum[i]);
   return texel;
}

/* Beyond a corner: the mean of the other three. */
static void
fill_corner(const struct lookup *lookup, struct texel texels[4], unsigned corner)
{
   if (format_is_integer(lookup->image->format)) {
      texels[corner] = texels[(corner + 1) % 4];
      return;
   }
   for (unsigned i = 0; i < 4; i++) {
      double sum = 0;
      for (unsigned n = 0; n < 4; n++)
         sum += n == corner ? 0 : as_float(texels[n].component[i]);
      texels[corner].component[i] = float_bits((float)(sum / 3));
   }
}

bool
filter_gather(struct lookup *lookup, unsigned level, bool row, struct texel texels[4])
{
   static const int32_t square[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
   struct axis axis[3];
   int32_t size[3];
   find_axes(lookup, lookup->coordinate, level, true, true, axis, size);
   int missing = -1;
   for (unsigned n = 0; n < 4; n++) {
      int32_t at[3] = {axis[0].texel[0] + (row ? (int32_t)n : square[n][0]),
                       axis[1].texel[0] + (row ? 0 : square[n][1]), axis[2].texel[0]};
      bool corner;
      if (!fetch_at(lookup, level, at, size, &texels[n], &corner))
         return false;
      if (corner)
         missing = (int)n;
   }
   if (missing >= 0)
      fill_corner(lookup, texels, (unsigned)missing);
   return true;
}
