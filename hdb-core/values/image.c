/* SPDX-License-Identifier: MIT */
#include "values/image.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "values/private.h"
#include "vgpu.h"

struct hdb_image {
   struct vgpu_image *image;
   struct hdb_machine *machine;
   struct hdb_wave *wave;
   uint64_t failed_va; /* of the last read that failed */
};

int
hdb_image_open(struct hdb_machine *machine, struct hdb_wave *wave, const uint32_t word[8], struct hdb_image **out,
               char **error)
{
   const char *why;
   struct hdb_image *image = calloc(1, sizeof(*image));
   *out = NULL;
   if (!image)
      return place_fail(error, -ENOMEM, "out of memory");
   image->machine = machine;
   image->wave = wave;
   int result = vgpu_image_open(word, hdb_machine_address_config(machine), &image->image, &why);
   if (result) {
      free(image);
      return place_fail(error, result, "%s", why);
   }
   *out = image;
   return 0;
}

void
hdb_image_close(struct hdb_image *image)
{
   if (!image)
      return;
   vgpu_image_close(image->image);
   free(image);
}

const struct vgpu_image_info *
hdb_image_info(const struct hdb_image *image)
{
   return vgpu_image_info(image->image);
}

void
hdb_image_count(const struct hdb_image *image, uint32_t *levels, uint32_t *layers)
{
   const struct vgpu_image_info *info = hdb_image_info(image);
   *levels = info->levels;
   *layers = info->layers;
}

void
hdb_image_size(const struct hdb_image *image, uint32_t level, uint32_t size[3])
{
   vgpu_image_size(image->image, level, size);
}

static int
read_memory(void *user, uint64_t va, void *data, size_t size)
{
   struct hdb_image *image = user;
   int result = image->wave ? hdb_wave_read_memory(image->machine, image->wave, va, data, size)
                            : hdb_machine_read_memory(image->machine, va, data, size);
   if (result)
      image->failed_va = va;
   return result;
}

static int
check_region(const struct hdb_image *image, const struct hdb_image_region *region, char **error)
{
   const struct vgpu_image_info *info = hdb_image_info(image);
   uint32_t size[3];
   if (region->level >= info->levels)
      return place_fail(error, -ERANGE, "the image has %u level%s", info->levels, info->levels == 1 ? "" : "s");
   hdb_image_size(image, region->level, size);
   uint32_t layers = info->is_3d ? size[2] : info->layers;
   if (region->layer >= layers)
      return place_fail(error, -ERANGE, "level %u has %u %s%s", region->level, layers, info->is_3d ? "slice" : "layer",
                        layers == 1 ? "" : "s");
   if (region->x > size[0] || region->width > size[0] - region->x || region->y > size[1] ||
       region->height > size[1] - region->y)
      return place_fail(error, -ERANGE, "level %u has %ux%u texels", region->level, size[0], size[1]);
   return 0;
}

int
hdb_image_read(struct hdb_image *image, const struct hdb_image_region *region, uint32_t *texels, char **error)
{
   int result = check_region(image, region, error);
   if (result)
      return result;
   result = vgpu_image_read(image->image, region->level, region->layer, region->x, region->y, region->width,
                            region->height, read_memory, image, texels);
   if (result)
      return place_fail(error, result, "its memory at 0x%" PRIx64 " can't be read: %s", image->failed_va,
                        strerror(-result));
   return 0;
}

/* ---- pixels ---- */

static double
number_of(const struct vgpu_image_info *info, uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return !info->is_integer ? value : info->is_signed ? (double)(int32_t)bits : (double)bits;
}

/* What a PNG without any note holds is sRGB: sRGB images come out as they are. IEC 61966-2-1. */
static double
to_srgb(double linear)
{
   return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static uint8_t
to_byte(double value)
{
   return value <= 0 ? 0 : value >= 1 ? 255 : (uint8_t)(value * 255 + 0.5);
}

static void
convert(const struct vgpu_image_info *info, const uint32_t texel[4], const double range[2], uint8_t rgba[4])
{
   double scale = range[1] - range[0];
   uint32_t components = info->components < 4 ? info->components : 4;
   rgba[0] = rgba[1] = rgba[2] = 0;
   rgba[3] = 255;
   for (uint32_t i = 0; i < components; i++) {
      double value = number_of(info, texel[i]);
      if (isnan(value)) {
         memcpy(rgba, (const uint8_t[4]){255, 0, 255, 255}, 4);
         return;
      }
      value = scale ? (value - range[0]) / scale : value > range[0];
      rgba[i] = to_byte(info->is_srgb && i < 3 ? to_srgb(value) : value);
   }
   if (components == 1)
      rgba[1] = rgba[2] = rgba[0];
}

int
hdb_image_read_pixels(struct hdb_image *image, const struct hdb_image_region *region, const double range[2],
                      uint8_t *rgba, char **error)
{
   const struct vgpu_image_info *info = hdb_image_info(image);
   const double usual[2] = {0, info->is_integer ? 255 : 1};
   int result = check_region(image, region, error);
   if (result)
      return result;
   struct hdb_image_region line = *region;
   const uint32_t rows = 64; /* row by row, each tile would be read once a row */
   uint32_t *texels = calloc((size_t)region->width * rows + 1, 16);
   if (!texels)
      return place_fail(error, -ENOMEM, "out of memory");
   for (uint32_t first = 0; first < region->height && !result; first += rows) {
      line.y = region->y + first;
      line.height = region->height - first < rows ? region->height - first : rows;
      result = hdb_image_read(image, &line, texels, error);
      for (size_t i = 0; !result && i < (size_t)line.width * line.height; i++)
         convert(info, texels + 4 * i, range ? range : usual, rgba + 4 * ((size_t)first * region->width + i));
   }
   free(texels);
   return result;
}
