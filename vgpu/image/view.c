/* SPDX-License-Identifier: MIT */
/* Images from outside, by their descriptors: vgpu_image_* of vgpu.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "image/image.h"
#include "image/layout.h"

enum { PAGE = 4096, PAGES = 1024 };

struct vgpu_image {
   struct vgpu_image_info info;
   struct image image;
   struct layout_cache *layouts;
};

/* Memory of the image while it is read. Rows cross many tiles, and come back to each of them. */
struct pages {
   int (*read)(void *user, uint64_t va, void *data, size_t size);
   void *user;
   uint64_t va[PAGES]; /* 0: nothing is there */
   uint8_t data[PAGES][PAGE];
};

int
vgpu_image_open(const uint32_t descriptor[8], uint32_t gb_addr_config, struct vgpu_image **out, const char **why)
{
   struct vgpu_image *image = calloc(1, sizeof *image);
   struct surface surface;
   *why = "no memory for the layout of an image";
   *out = NULL;
   if (!image)
      return -ENOMEM;
   int result = -EINVAL;
   if (!image_decode(descriptor, &image->image, &surface, why))
      goto error;
   result = -ENOENT;
   *why = "a null descriptor";
   if (!surface.bytes)
      goto error;
   result = -ENOMEM;
   image->layouts = layout_cache_create(gb_addr_config ? gb_addr_config : VGPU_GB_ADDR_CONFIG);
   if (!image->layouts)
      goto error;
   result = -EINVAL;
   image->image.layout = layout_get(image->layouts, &surface, why);
   if (!image->image.layout)
      goto error;
   const struct image *of = &image->image;
   const struct format *format = of->format;
   image->info = (struct vgpu_image_info){
      .levels = of->last_level - of->first_level + 1,
      .layers = of->type == IMAGE_3D ? 1 : of->last_layer - of->first_layer + 1,
      .samples = of->samples,
      .components = format->components,
      .is_integer = format_is_integer(format),
      .is_signed = format->kind == FORMAT_SINT || format->kind == FORMAT_SNORM || format->kind == FORMAT_SSCALED,
      .is_normalized = format->kind == FORMAT_UNORM || format->kind == FORMAT_SNORM || format->kind == FORMAT_SRGB,
      .is_srgb = format->kind == FORMAT_SRGB,
      .is_3d = of->type == IMAGE_3D,
   };
   *out = image;
   return 0;

error:
   vgpu_image_close(image);
   return result;
}

void
vgpu_image_close(struct vgpu_image *image)
{
   if (!image)
      return;
   layout_cache_destroy(image->layouts);
   free(image);
}

const struct vgpu_image_info *
vgpu_image_info(const struct vgpu_image *image)
{
   return &image->info;
}

void
vgpu_image_size(const struct vgpu_image *image, uint32_t level, uint32_t size[3])
{
   image_level_size(&image->image, image->image.first_level + level, size);
}

/* ---- texels ---- */

static int
read_bytes(struct pages *pages, uint64_t va, uint8_t *data, unsigned size)
{
   while (size) {
      unsigned at = va % PAGE, slot = va / PAGE % PAGES, part = size < PAGE - at ? size : PAGE - at;
      uint64_t page = va - at;
      if (pages->va[slot] != page) {
         int result = pages->read(pages->user, page, pages->data[slot], PAGE);
         pages->va[slot] = result ? 0 : page;
         if (result)
            return result;
      }
      memcpy(data, pages->data[slot] + at, part);
      va += part;
      data += part;
      size -= part;
   }
   return 0;
}

static int
read_texel(const struct image *image, struct pages *pages, unsigned level, uint32_t layer, uint32_t x, uint32_t y,
           uint32_t texel[4])
{
   const struct format *format = image->format;
   uint32_t z = image->type == IMAGE_3D ? layer : 0;
   uint8_t element[16];
   struct texel decoded;
   uint64_t va = image_address(image, level, (int32_t)x, (int32_t)y, (int32_t)z, layer, 0);
   int result = read_bytes(pages, (uint64_t)((int64_t)(va << 16) >> 16), element, format->bytes);
   if (result)
      return result;
   format_decode(format, element, x % format->block_width, y % format->block_height, &decoded);
   for (unsigned i = 0; i < 4; i++)
      texel[i] = image_select(image, &decoded, i);
   return 0;
}

int
vgpu_image_read(struct vgpu_image *image, uint32_t level, uint32_t layer, uint32_t x, uint32_t y, uint32_t width,
                uint32_t height, int (*read)(void *user, uint64_t va, void *data, size_t size), void *user,
                uint32_t *texels)
{
   const struct image *of = &image->image;
   uint32_t size[3], layers = image->info.layers;
   if (level >= image->info.levels)
      return -ERANGE;
   vgpu_image_size(image, level, size);
   if (image->info.is_3d)
      layers = size[2];
   if (layer >= layers || x > size[0] || width > size[0] - x || y > size[1] || height > size[1] - y)
      return -ERANGE;
   struct pages *pages = calloc(1, sizeof *pages);
   if (!pages)
      return -ENOMEM;
   pages->read = read;
   pages->user = user;
   level += of->first_level;
   layer += of->type == IMAGE_3D ? 0 : of->first_layer;
   int result = 0;
   for (uint32_t row = 0; row < height && !result; row++) {
      for (uint32_t column = 0; column < width && !result; column++, texels += 4)
         result = read_texel(of, pages, level, layer, x + column, y + row, texels);
   }
   free(pages);
   return result;
}
