/* SPDX-License-Identifier: MIT */
#include "image/lod.h"

#include <math.h>
#include <string.h>

static int
to_fixed(double lod)
{
   const double limit = 32 * LOD_ONE;
   double fixed = lod != lod ? 0 : floor(lod * LOD_ONE + 0.5);
   return (int)(fixed < -limit ? -limit : fixed > limit ? limit : fixed);
}

static void
set(struct lod *result, const struct sampler *sampler, const struct image *image, double lod, float lod_clamp)
{
   int low = to_fixed(lod_clamp);
   if (low < sampler->min_lod)
      low = sampler->min_lod;
   int high = sampler->max_lod < low ? low : sampler->max_lod;
   result->raw = to_fixed(lod + (double)sampler->bias / LOD_ONE);
   result->clamped = result->raw < low ? low : result->raw > high ? high : result->raw;
   int view = to_fixed(image->min_lod - (float)image->first_level); /* counts from the image's level 0 */
   if (result->clamped < view)
      result->clamped = view;
}

static double
length(const double v[3])
{
   return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static bool
is_anisotropic(const struct sampler *sampler, const struct image *image)
{
   bool single = image->first_level == image->last_level;
   return sampler->max_aniso > 1 && (sampler->mag | sampler->min) & FILTER_ANISO && !(sampler->skip_aniso && single) &&
          !format_is_integer(image->format);
}

struct lod
lod_implicit(const struct sampler *sampler, const struct image *image, const struct gradient *gradient, unsigned axes,
             float bias, float lod_clamp)
{
   struct lod lod = {.probes = 1};
   uint32_t size[3];
   image_level_size(image, image->first_level, size);
   double x[3] = {0}, y[3] = {0};
   for (unsigned i = 0; i < axes; i++) {
      double scale = sampler->unnormalized ? 1 : size[i];
      x[i] = gradient->dx[i] * scale;
      y[i] = gradient->dy[i] * scale;
   }
   double along_x = length(x), along_y = length(y), longer = fmax(along_x, along_y), shorter = fmin(along_x, along_y);
   double ratio = 1;
   if (is_anisotropic(sampler, image) && longer > 0 && longer < INFINITY) {
      ratio = fmin(longer / shorter, sampler->max_aniso);
      /* A ratio that rounds to 1 costs a probe, not two. */
      lod.probes = (unsigned)ceil(ratio - 1.0 / 256);
      const float *line = along_x > along_y ? gradient->dx : gradient->dy;
      for (unsigned i = 0; i < axes; i++)
         lod.line[i] = line[i];
   }
   set(&lod, sampler, image, log2(longer / ratio) + bias, lod_clamp);
   if (!((lod.clamped <= 0 ? sampler->mag : sampler->min) & FILTER_ANISO))
      lod.probes = 1;
   return lod;
}

struct lod
lod_explicit(const struct sampler *sampler, const struct image *image, float lod, float lod_clamp)
{
   struct lod result = {.probes = 1};
   set(&result, sampler, image, lod, lod_clamp);
   return result;
}

void
lod_levels(const struct sampler *sampler, const struct image *image, int lod, unsigned level[2], unsigned *weight)
{
   int last = (int)(image->last_level - image->first_level) * LOD_ONE;
   int clamped = lod < 0 || image->last_level < image->first_level ? 0 : lod > last ? last : lod;
   *weight = 0;
   if (sampler->mip == FILTER_NONE)
      clamped = 0;
   else if (sampler->mip == FILTER_POINT || format_is_integer(image->format))
      clamped = (clamped + LOD_ONE / 2) / LOD_ONE * LOD_ONE;
   else
      *weight = (unsigned)clamped % LOD_ONE;
   level[0] = image->first_level + (unsigned)clamped / LOD_ONE;
   level[1] = level[0] + (*weight ? 1 : 0);
}
