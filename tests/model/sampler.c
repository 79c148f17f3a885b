/* SPDX-License-Identifier: MIT */
#include "sampler.h"

#include <math.h>
#include <string.h>

#include "texel.h"

/* Table 51: clamp 8:0, compare 14:12, unnormalized 15, filter mode 30:29, min lod 43:32, max lod 55:44, bias 77:64
 * (s6.8), mag 85:84, min 87:86, mip 91:90, border type 127:126. */
void
sampler_encode(const struct sampler *sampler, uint32_t word[4])
{
   word[0] = sampler->address[0] | sampler->address[1] << 3 | sampler->address[2] << 6 | sampler->compare << 12 |
             (uint32_t)sampler->unnormalized << 15 | sampler->reduction << 29;
   word[1] = sampler->least_lod | sampler->greatest_lod << 12;
   word[2] = ((uint32_t)sampler->lod_bias & 0x3fff) | (uint32_t)sampler->linear_mag << 20 |
             (uint32_t)sampler->linear_min << 22 | (uint32_t)sampler->mip << 26;
   word[3] = sampler->border << 30;
}

struct sampler
sampler_decode(const uint32_t word[4])
{
   return (struct sampler){.address = {word[0] & 7, word[0] >> 3 & 7, word[0] >> 6 & 7},
                           .compare = word[0] >> 12 & 7,
                           .unnormalized = word[0] >> 15 & 1,
                           .reduction = word[0] >> 29 & 3,
                           .least_lod = word[1] & 0xfff,
                           .greatest_lod = word[1] >> 12 & 0xfff,
                           .lod_bias = (int32_t)(word[2] << 18) >> 18,
                           .linear_mag = word[2] >> 20 & 1,
                           .linear_min = word[2] >> 22 & 1,
                           .mip = (enum mip_filter)(word[2] >> 26 & 3),
                           .border = word[3] >> 30};
}

double
sampler_lod(const struct sampler *sampler, double lod)
{
   return fmin(fmax(lod + sampler->lod_bias / 256.0, sampler->least_lod / 256.0), sampler->greatest_lod / 256.0);
}

/* ---- addresses ----------------------------------------------------------------------------------------------------
 */

static int32_t
modulo(int32_t value, int32_t size)
{
   int32_t rest = value % size;
   return rest < 0 ? rest + size : rest;
}

/* -1: the border. */
static int32_t
wrapped(enum address_mode mode, int32_t i, int32_t size)
{
   int32_t mirrored = i < 0 ? -1 - i : i;
   switch (mode) {
   case WRAP:
      return modulo(i, size);
   case MIRROR:
      i = modulo(i, 2 * size);
      return i < size ? i : 2 * size - 1 - i;
   case CLAMP_LAST:
      return i < 0 ? 0 : i < size ? i : size - 1;
   case MIRROR_ONCE_LAST:
      return mirrored < size ? mirrored : size - 1;
   case CLAMP_BORDER:
      return i >= 0 && i < size ? i : -1;
   case MIRROR_ONCE_BORDER:
      return mirrored < size ? mirrored : -1;
   }
   return -1;
}

static unsigned
filtered_axes(enum image_dim dim)
{
   return dim == DIM_1D || dim == DIM_1D_ARRAY ? 1 : dim == DIM_3D ? 3 : 2;
}

static int32_t
axis_size(const struct texture *texture, unsigned level, unsigned axis)
{
   const unsigned sizes[3] = {texture->width, texture->height, texture->depth};
   return (int32_t)texture_level_size(sizes[axis], level);
}

bool
address_texel(const struct sampler *sampler, const struct texture *texture, unsigned level, int32_t texel[3])
{
   for (unsigned axis = 0; axis < filtered_axes(texture->dim); axis++) {
      texel[axis] = wrapped((enum address_mode)sampler->address[axis], texel[axis], axis_size(texture, level, axis));
      if (texel[axis] < 0)
         return false;
   }
   return true;
}

double
border_value(const struct sampler *sampler, unsigned c)
{
   return sampler->border == 2 || (sampler->border == 1 && c == 3);
}

/* ---- texels -------------------------------------------------------------------------------------------------------
 */

static double
number_of(uint32_t value)
{
   float number;
   memcpy(&number, &value, 4);
   return number;
}

static bool
compare(unsigned function, double reference, double texel)
{
   return (function & 1 && reference < texel) || (function & 2 && reference == texel) ||
          (function & 4 && reference > texel);
}

static double
texel_value(const struct sampler *sampler, const struct texels *texels, const struct sample *sample, unsigned level,
            const int32_t at[3], unsigned c)
{
   const struct texture *texture = texels->texture;
   int32_t texel[3] = {at[0], at[1], at[2]};
   double value = border_value(sampler, c);
   if (address_texel(sampler, texture, level, texel)) {
      uint32_t coordinate[3] = {(uint32_t)texel[0], (uint32_t)texel[1], (uint32_t)texel[2]};
      const uint8_t *from = texels->memory + texture_offset(texture, level, coordinate);
      value = number_of(texel_decode(texture->format, c, texel_field(texture->format, from, c), false));
   }
   return sample->compares ? compare(sampler->compare, sample->reference, value) : value;
}

/* The layer: "clamp(RNE(r), 0, layers - 1)" (Vulkan, 16.5.5). */
static int32_t
layer_of(const struct texture *texture, const struct sample *sample)
{
   double layer = nearbyint(sample->coordinate[filtered_axes(texture->dim)]);
   return (int32_t)fmin(fmax(layer, 0), texture->depth - 1);
}

static void
scale_coordinates(const struct sampler *sampler, const struct texture *texture, const struct sample *sample,
                  unsigned level, double scaled[3])
{
   unsigned axes = filtered_axes(texture->dim);
   for (unsigned axis = 0; axis < axes; axis++)
      scaled[axis] = sample->coordinate[axis] * (sampler->unnormalized ? 1 : axis_size(texture, level, axis)) +
                     sample->offset[axis];
}

static void
set_layer(const struct texture *texture, const struct sample *sample, int32_t texel[3])
{
   if (dim_has_layers(texture->dim))
      texel[filtered_axes(texture->dim)] = layer_of(texture, sample);
}

static double
reduce(const struct sampler *sampler, double so_far, double value, double weight, bool first)
{
   if (sampler->reduction && weight == 0)
      return so_far;
   if (sampler->reduction && first)
      return value;
   return sampler->reduction == 1   ? fmin(so_far, value)
          : sampler->reduction == 2 ? fmax(so_far, value)
                                    : so_far + weight * value;
}

static double
filter_level(const struct sampler *sampler, const struct texels *texels, const struct sample *sample, unsigned level,
             bool linear, unsigned c)
{
   const struct texture *texture = texels->texture;
   unsigned axes = filtered_axes(texture->dim);
   double scaled[3], result = 0;
   bool first = true;
   scale_coordinates(sampler, texture, sample, level, scaled);
   for (unsigned corner = 0; corner < (linear ? 1u << axes : 1); corner++) {
      int32_t texel[3] = {0};
      double weight = 1;
      for (unsigned axis = 0; axis < axes; axis++) {
         double start = floor(scaled[axis] - (linear ? 0.5 : 0)), part = scaled[axis] - 0.5 - start;
         texel[axis] = (int32_t)start + (int32_t)(corner >> axis & 1);
         if (linear)
            weight *= corner >> axis & 1 ? part : 1 - part;
      }
      set_layer(texture, sample, texel);
      result = reduce(sampler, result, texel_value(sampler, texels, sample, level, texel, c), weight, first);
      first = first && weight == 0;
   }
   return result;
}

/* ---- levels -------------------------------------------------------------------------------------------------------
 */

static unsigned
level_at(const struct texture *texture, double lod)
{
   unsigned level = texture->base_level + (unsigned)fmax(lod, 0);
   return level < texture->last_level ? level : texture->last_level;
}

static bool
is_linear(const struct sampler *sampler, double lod)
{
   return lod > 0 ? sampler->linear_min : sampler->linear_mag;
}

bool
sample_single(const struct sampler *sampler, const struct texels *texels, const struct sample *sample, uint32_t *level,
              int32_t texel[3])
{
   double lod = sampler_lod(sampler, sample->lod), scaled[3];
   if (is_linear(sampler, lod) || sampler->mip == MIP_LINEAR || sample->compares)
      return false;
   *level = level_at(texels->texture, sampler->mip == MIP_NONE ? 0 : floor(lod + 0.5));
   scale_coordinates(sampler, texels->texture, sample, *level, scaled);
   for (unsigned axis = 0; axis < filtered_axes(texels->texture->dim); axis++)
      texel[axis] = (int32_t)floor(scaled[axis]);
   set_layer(texels->texture, sample, texel);
   return true;
}

double
sample_filtered(const struct sampler *sampler, const struct texels *texels, const struct sample *sample, unsigned c)
{
   double lod = sampler_lod(sampler, sample->lod);
   bool linear = is_linear(sampler, lod);
   if (sampler->mip != MIP_LINEAR)
      return filter_level(sampler, texels, sample,
                          level_at(texels->texture, sampler->mip == MIP_NONE ? 0 : floor(lod + 0.5)), linear, c);
   double part = lod - floor(lod);
   double near = filter_level(sampler, texels, sample, level_at(texels->texture, floor(lod)), linear, c);
   double far = filter_level(sampler, texels, sample, level_at(texels->texture, floor(lod) + 1), linear, c);
   if (sampler->reduction && part == 0)
      return near;
   return sampler->reduction == 1   ? fmin(near, far)
          : sampler->reduction == 2 ? fmax(near, far)
                                    : near * (1 - part) + far * part;
}

void
sample_gather(const struct sampler *sampler, const struct texels *texels, const struct sample *sample, unsigned c,
              double result[4])
{
   static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
   double lod = sampler->mip == MIP_NONE ? 0 : floor(sampler_lod(sampler, sample->lod) + 0.5);
   unsigned level = level_at(texels->texture, lod);
   double scaled[3];
   scale_coordinates(sampler, texels->texture, sample, level, scaled);
   for (unsigned i = 0; i < 4; i++) {
      int32_t texel[3] = {(int32_t)floor(scaled[0] - 0.5) + order[i][0], (int32_t)floor(scaled[1] - 0.5) + order[i][1],
                          0};
      set_layer(texels->texture, sample, texel);
      result[i] = texel_value(sampler, texels, sample, level, texel, c);
   }
}
