/* SPDX-License-Identifier: MIT */
#include "texture.h"

#include <stdio.h>

#include "generate.h"
#include "memory.h"
#include "texel.h"

/* Table 50: base 39:0 (address 47:8), max mip 51:48, format 59:52, width-1 75:62, height-1 91:78, dst_sel 107:96, base
 * level 111:108, last level 115:112, SW_MODE 120:116 (linear: 0), type 127:124, depth-1 140:128 ("(pitch-1)[12:0] for
 * 1D, 2D [...] if pitch > width"), base array 156:144, array pitch 163:160 (1: a 3D image that is stored to). */
void
texture_encode(const struct texture *image, uint32_t word[8])
{
   bool pitched = image->dim <= DIM_2D && image->pitch > texture_least_pitch(image->format, image->width);
   unsigned last = image->dim == DIM_3D         ? image->depth - 1
                   : dim_has_layers(image->dim) ? image->first_layer + image->depth - 1
                   : pitched                    ? image->pitch - 1
                                                : 0;
   word[0] = (uint32_t)(image->base >> 8);
   word[1] =
      (uint32_t)(image->base >> 40 & 0xff) | image->max_mip << 16 | image->format << 20 | (image->width - 1) << 30;
   word[2] = (image->width - 1) >> 2 | (image->height - 1) << 14;
   word[3] = image->base_level << 12 | image->last_level << 16 | (8u + image->dim) << 28;
   word[4] = (last & 0x1fff) | image->first_layer << 16;
   word[5] = image->dim == DIM_3D;
   word[6] = word[7] = 0;
   for (unsigned i = 0; i < 4; i++)
      word[3] |= image->select[i] << 3 * i;
}

struct texture
texture_decode(const uint32_t word[8])
{
   struct texture image = {.base = (word[0] | (uint64_t)(word[1] & 0xff) << 32) << 8 | UINT64_C(0xffff) << 48,
                           .dim = (enum image_dim)((word[3] >> 28) - 8),
                           .format = word[1] >> 20 & 0xff,
                           .width = (word[1] >> 30 | (word[2] & 0xfff) << 2) + 1,
                           .height = (word[2] >> 14 & 0x3fff) + 1,
                           .first_layer = word[4] >> 16 & 0x1fff,
                           .base_level = word[3] >> 12 & 15,
                           .last_level = word[3] >> 16 & 15,
                           .max_mip = word[1] >> 16 & 15};
   unsigned last = word[4] & 0x1fff;
   image.depth = image.dim == DIM_3D ? last + 1 : dim_has_layers(image.dim) ? last + 1 - image.first_layer : 1;
   image.pitch = texture_least_pitch(image.format, image.width);
   if (image.dim <= DIM_2D && last + 1 > image.pitch)
      image.pitch = last + 1;
   for (unsigned i = 0; i < 4; i++)
      image.select[i] = word[3] >> 3 * i & 7;
   return image;
}

/* Rows are a multiple of 256 bytes (addrlib's Gfx11Lib::HwlComputeSurfaceInfoLinear, LINEAR). */
unsigned
texture_least_pitch(unsigned format, unsigned width)
{
   unsigned texels = 256 / texel_bytes(format);
   return (width + texels - 1) / texels * texels;
}

unsigned
texture_level_size(unsigned size, unsigned level)
{
   return size >> level ? size >> level : 1;
}

static unsigned
level_height(const struct texture *image, unsigned level)
{
   return image->dim == DIM_1D || image->dim == DIM_1D_ARRAY ? 1 : texture_level_size(image->height, level);
}

static uint64_t
level_slice(const struct texture *image, unsigned level)
{
   unsigned pitch =
      image->max_mip ? texture_least_pitch(image->format, texture_level_size(image->width, level)) : image->pitch;
   return (uint64_t)pitch * texel_bytes(image->format) * level_height(image, level);
}

/* The smallest level lies first in each layer. */
uint64_t
texture_offset(const struct texture *image, unsigned level, const uint32_t coordinate[3])
{
   uint64_t offset = 0, layer = 0;
   for (unsigned i = 0; i <= image->max_mip; i++) {
      layer += level_slice(image, i);
      offset += i > level ? level_slice(image, i) : 0;
   }
   bool rows = image->dim != DIM_1D && image->dim != DIM_1D_ARRAY;
   uint64_t y = rows ? coordinate[1] : 0;
   uint64_t z = image->dim == DIM_3D         ? coordinate[2]
                : dim_has_layers(image->dim) ? coordinate[rows ? 2 : 1] + image->first_layer
                                             : 0;
   uint64_t row = level_slice(image, level) / level_height(image, level);
   return z * layer + offset + y * row + coordinate[0] * texel_bytes(image->format);
}

bool
texture_contains(const struct texture *image, unsigned level, const uint32_t coordinate[3])
{
   bool rows = image->dim != DIM_1D && image->dim != DIM_1D_ARRAY;
   if (coordinate[0] >= texture_level_size(image->width, level) ||
       (rows && coordinate[1] >= texture_level_size(image->height, level)))
      return false;
   if (image->dim == DIM_3D)
      return coordinate[2] < texture_level_size(image->depth, level);
   return !dim_has_layers(image->dim) || coordinate[rows ? 2 : 1] < image->depth;
}

bool
dim_has_layers(enum image_dim dim)
{
   return dim == DIM_CUBE || dim == DIM_1D_ARRAY || dim == DIM_2D_ARRAY;
}

unsigned
dim_coordinates(enum image_dim dim)
{
   static const uint8_t counts[] = {1, 2, 3, 3, 2, 3};
   return counts[dim];
}

const char *
dim_name(enum image_dim dim)
{
   static const char *const names[] = {"1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY"};
   return names[dim];
}

/* Up to four may be apart; a fifth begins a row of the others. */
void
choose_address(struct random *random, struct instance *instance, unsigned first, unsigned count, char text[64])
{
   unsigned base = first + random_below(random, 8);
   if (count == 1 || random_chance(random, 50)) {
      for (unsigned i = 0; i < count && i < sizeof instance->address; i++)
         instance->address[i] = (uint8_t)(base + i);
      if (count == 1)
         snprintf(text, 64, "v%u", base);
      else
         snprintf(text, 64, "v[%u:%u]", base, base + count - 1);
      return;
   }
   int used = 0;
   for (unsigned i = 0; i < count && i < 4; i++) {
      instance->address[i] = (uint8_t)(first + (i * 5 + base) % 20);
      used += snprintf(text + used, 64 - (size_t)used, "%sv%u", i ? ", " : "[", instance->address[i]);
   }
   for (unsigned i = 4; i < count && i < sizeof instance->address; i++)
      instance->address[i] = (uint8_t)(first + 20 + i - 4);
   if (count == 5)
      snprintf(text + used, 64 - (size_t)used, ", v%u]", first + 20);
   else if (count > 5)
      snprintf(text + used, 64 - (size_t)used, ", v[%u:%u]]", first + 20, first + 20 + count - 5);
   else
      snprintf(text + used, 64 - (size_t)used, "]");
}

uint32_t
address_number(const struct instance *instance, const struct machine *machine, unsigned lane, unsigned n)
{
   if (!instance->a16)
      return machine->vgpr[instance->address[n]][lane];
   return machine->vgpr[instance->address[n / 2]][lane] >> (n % 2 ? 16 : 0) & 0xffff;
}

void
set_address_number(const struct instance *instance, struct machine *machine, unsigned lane, unsigned n, uint32_t value)
{
   uint32_t *to = &machine->vgpr[instance->address[instance->a16 ? n / 2 : n]][lane];
   *to = !instance->a16 ? value : n % 2 ? (*to & 0xffff) | value << 16 : (*to & 0xffff0000) | (value & 0xffff);
}
