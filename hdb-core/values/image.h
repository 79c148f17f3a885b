/* SPDX-License-Identifier: MIT */
/* Images by their descriptors: texels wherever they lie, as the shader would load them, and as pixels for people. */
#ifndef HDB_IMAGE_H
#define HDB_IMAGE_H

#include "stop/machine.h"

struct hdb_image;
struct vgpu_image_info; /* vgpu.h */

/* `word`: the T#. `wave`: memory is read as this stopped wave sees it; NULL: from outside. On failure *error (to be
 * freed) says why it can't be looked at. */
int hdb_image_open(struct hdb_machine *machine, struct hdb_wave *wave, const uint32_t word[8], struct hdb_image **image,
                   char **error);
void hdb_image_close(struct hdb_image *image);

const struct vgpu_image_info *hdb_image_info(const struct hdb_image *image);
void hdb_image_count(const struct hdb_image *image, uint32_t *levels, uint32_t *layers); /* of the view */
/* Width, height and depth of a level; levels and layers count from the first ones of the view. */
void hdb_image_size(const struct hdb_image *image, uint32_t level, uint32_t size[3]);

struct hdb_image_region {
   uint32_t level, layer; /* layer: the slice of 3D images */
   uint32_t x, y, width, height;
};

/* Four dwords a texel: floats, or integers where hdb_image_info says so. -ERANGE: outside of the image. */
int hdb_image_read(struct hdb_image *image, const struct hdb_image_region *region, uint32_t *texels, char **error);

/* The same as 8 bits of red, green, blue and alpha. `range`: which values are black and white; NULL: 0 and 1, of
 * integers 0 and 255. One component is grey; a texel with a NaN is magenta; without alpha it is opaque. */
int hdb_image_read_pixels(struct hdb_image *image, const struct hdb_image_region *region, const double range[2],
                          uint8_t *rgba, char **error);

#endif
