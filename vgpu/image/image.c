/* SPDX-License-Identifier: MIT */
/* T# (RDNA3 ISA guide, 8.2.5; fields of gfx11: Mesa's gfx11-rsrc.json, SQ_IMG_RSRC_*). */
#include "image/image.h"

#include <string.h>

#include "gpu.h"
#include "image/layout.h"
#include "isa/traffic.h"
#include "isa/watch.h"

static uint32_t
bits(const uint32_t *word, unsigned first, unsigned count)
{
   return word[first / 32] >> first % 32 & ((1u << count) - 1);
}

static bool
refuse(struct wave *wave, const struct inst *inst, const char *why)
{
   vgpu_log(wave->gpu, "%s: %s", inst->op->name, why);
   isa_raise(wave, inst, TRAPSTS_ILLEGAL_INST);
   return false;
}

static bool
fail(const char **why, const char *reason)
{
   *why = reason;
   return false;
}

static bool
is_array(enum image_type type)
{
   return type == IMAGE_1D_ARRAY || type == IMAGE_2D_ARRAY || type == IMAGE_2D_MSAA_ARRAY || type == IMAGE_CUBE;
}

static unsigned
dimension(enum image_type type)
{
   return type == IMAGE_3D ? 3 : type == IMAGE_1D || type == IMAGE_1D_ARRAY ? 1 : 2;
}

static uint32_t
blocks(uint32_t texels, unsigned block)
{
   return (texels + block - 1) / block;
}

bool
image_decode(const uint32_t word[8], struct image *image, struct surface *surface, const char **why)
{
   unsigned max_level = bits(word, 48, 4), depth = bits(word, 128, 13);
   *surface = (struct surface){0};
   *image = (struct image){
      .base = (word[0] | (uint64_t)bits(word, 32, 8) << 32) << 8,
      .type = bits(word, 124, 4),
      .format = format_get(bits(word, 52, 8)),
      .width = (bits(word, 62, 2) | bits(word, 64, 12) << 2) + 1,
      .height = bits(word, 78, 14) + 1,
      .depth = 1,
      .slices = bits(word, 160, 4) == 1,
      .first_layer = bits(word, 144, 13),
      .last_layer = bits(word, 144, 13),
      .first_level = bits(word, 108, 4),
      .last_level = bits(word, 112, 4),
      .samples = 1,
      .min_lod = (float)(bits(word, 187, 5) | bits(word, 192, 7) << 5) / 256,
      .border_swizzle = (uint8_t)bits(word, 121, 3),
   };
   for (unsigned i = 0; i < 4; i++)
      image->select[i] = (uint8_t)bits(word, 96 + 3 * i, 3);

   /* Nothing is bound: VK_EXT_robustness2's null descriptor is all zeros. */
   if (image->type < IMAGE_1D)
      return true;
   if (!image->format)
      return fail(why, "an image of a format that is not supported");
   if (bits(word, 213, 1))
      return fail(why, "compressed surfaces (DCC, HTILE) are not supported");

   *surface = (struct surface){
      .swizzle_mode = bits(word, 116, 5),
      .dimension = dimension(image->type),
      .bytes = image->format->bytes,
      .levels = max_level + 1,
      .samples = 1,
   };
   if (image->type == IMAGE_2D_MSAA || image->type == IMAGE_2D_MSAA_ARRAY) {
      image->samples = surface->samples = 1u << max_level;
      image->first_level = image->last_level = 0;
      surface->levels = 1;
   }
   image->slices = image->slices && image->type == IMAGE_3D;
   if (image->type == IMAGE_3D) {
      image->depth = depth + 1;
      image->last_layer = 0;
      if (!image->slices)
         image->first_layer = 0;
   } else if (is_array(image->type)) {
      image->last_layer = depth;
   } else if (surface->swizzle_mode == 0 && surface->levels == 1 && depth) {
      surface->pitch = (depth | bits(word, 141, 1) << 13) + 1;
   }
   if (dimension(image->type) == 1)
      image->height = 1;

   surface->width = blocks(image->width, image->format->block_width);
   surface->height = blocks(image->height, image->format->block_height);
   surface->pitch = blocks(surface->pitch, image->format->block_width);
   surface->slices = image->type == IMAGE_3D ? image->depth : image->last_layer + 1;
   if (image->first_level > image->last_level || image->last_level >= surface->levels)
      return fail(why, "an image whose levels are not there");
   return true;
}

bool
image_read(struct wave *wave, const struct inst *inst, unsigned sreg, bool r128, struct image *image)
{
   uint32_t word[8] = {0};
   struct surface surface;
   const char *why = "no memory for the layout of an image";
   for (unsigned i = 0; i < (r128 ? 4 : 8); i++)
      word[i] = sreg_read(wave, sreg + i);
   if (!image_decode(word, image, &surface, &why))
      return refuse(wave, inst, why);
   if (!surface.bytes)
      return true;
   if (!wave->gpu->layouts)
      wave->gpu->layouts = layout_cache_create(VGPU_GB_ADDR_CONFIG);
   image->layout = wave->gpu->layouts ? layout_get(wave->gpu->layouts, &surface, &why) : NULL;
   return image->layout ? true : refuse(wave, inst, why);
}

void
image_level_size(const struct image *image, unsigned level, uint32_t size[3])
{
   uint32_t texels[3] = {image->width, image->height, image->slices ? image->depth << level : image->depth};
   for (unsigned i = 0; i < 3; i++)
      size[i] = texels[i] >> level ? texels[i] >> level : 1;
}

bool
image_contains(const struct image *image, unsigned level, int32_t x, int32_t y, int32_t z, uint32_t layer,
               unsigned sample)
{
   uint32_t size[3];
   if (!image->layout || level > image->last_level)
      return false;
   image_level_size(image, level, size);
   bool in_slice = image->type == IMAGE_3D ? (uint32_t)z < size[2] && (uint32_t)z >= image->first_layer
                                           : layer >= image->first_layer && layer <= image->last_layer;
   return (uint32_t)x < size[0] && (uint32_t)y < size[1] && in_slice && sample < image->samples;
}

uint64_t
image_address(const struct image *image, unsigned level, int32_t x, int32_t y, int32_t z, uint32_t layer,
              unsigned sample)
{
   const struct format *format = image->format;
   return layout_address(image->layout, image->base, level, (uint32_t)x / format->block_width,
                         (uint32_t)y / format->block_height, image->type == IMAGE_3D ? (uint32_t)z : layer, sample);
}

/* Elements are aligned to their size, or to dwords: they may cross the end of a page only between dwords. */
static bool
read_element(struct wave *wave, const struct inst *inst, uint64_t va, unsigned bytes, void *element, bool *resident)
{
   traffic_count(wave, STATS_IMAGE_MEMORY, STATS_READ, bytes);
   watch_range(wave, va, bytes, WATCH_READ);
   unsigned step = bytes == 12 ? 4 : bytes;
   for (unsigned at = 0; at < bytes; at += step) {
      bool prt;
      const void *host = memory_at(wave, va + at, VM_READ, &prt);
      if (host) {
         memcpy((uint8_t *)element + at, host, step);
         continue;
      }
      if (!prt) {
         isa_raise_memory(wave, inst, va + at, false);
         return false;
      }
      memset((uint8_t *)element + at, 0, step);
      *resident = false;
   }
   return true;
}

bool
image_fetch(struct wave *wave, const struct inst *inst, const struct image *image, unsigned level, int32_t x, int32_t y,
            int32_t z, uint32_t layer, unsigned sample, struct texel *texel, bool *resident)
{
   static const struct format nothing = {.components = 4, .block_width = 1, .block_height = 1};
   const struct format *format = image->format ? image->format : &nothing;
   uint8_t element[16] = {0};
   if (image_contains(image, level, x, y, z, layer, sample) &&
       !read_element(wave, inst, image_address(image, level, x, y, z, layer, sample), format->bytes, element, resident))
      return false;
   format_decode(format, element, (uint32_t)x % format->block_width, (uint32_t)y % format->block_height, texel);
   return true;
}

bool
image_put(struct wave *wave, const struct inst *inst, const struct image *image, unsigned level, int32_t x, int32_t y,
          int32_t z, uint32_t layer, unsigned sample, const uint32_t data[4])
{
   struct texel texel = format_unselect(image->select, data);
   uint8_t element[16];
   format_encode(image->format, &texel, element);
   uint64_t va = image_address(image, level, x, y, z, layer, sample);
   unsigned bytes = image->format->bytes, step = bytes == 12 ? 4 : bytes;
   traffic_count(wave, STATS_IMAGE_MEMORY, STATS_WRITTEN, bytes);
   watch_range(wave, va, bytes, WATCH_WRITE);
   for (unsigned at = 0; at < bytes; at += step) {
      bool prt;
      void *host = memory_at(wave, va + at, VM_WRITE, &prt);
      if (host) {
         memcpy(host, element + at, step);
      } else if (!prt) {
         isa_raise_memory(wave, inst, va + at, true);
         return false;
      }
   }
   return true;
}

uint32_t
image_select(const struct image *image, const struct texel *texel, unsigned i)
{
   return format_select(image->format, image->select[i], texel);
}
