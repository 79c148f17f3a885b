/* SPDX-License-Identifier: MIT */
/*
 * Images as instructions see them: what a T# describes, where a texel lies, what its bits mean. Formats and
 * descriptors: RDNA3 ISA guide, 8.2.5 and 9.1.4; the layout of tiled surfaces is AMD's addrlib's (layout.h).
 */
#ifndef VGPU_IMAGE_H
#define VGPU_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "image/format.h"

struct wave;
struct inst;
struct image_layout;

/* SQ_RSRC_IMG_* (T# word 3, 31:28). */
enum image_type {
   IMAGE_1D = 8,
   IMAGE_2D = 9,
   IMAGE_3D = 10,
   IMAGE_CUBE = 11,
   IMAGE_1D_ARRAY = 12,
   IMAGE_2D_ARRAY = 13,
   IMAGE_2D_MSAA = 14,
   IMAGE_2D_MSAA_ARRAY = 15
};

/* A T#, decoded. */
struct image {
   uint64_t base; /* bytes, with the tile swizzle */
   enum image_type type;
   const struct format *format;
   uint32_t width, height, depth;    /* texels of level 0; depth is 1 unless 3D */
   bool slices;                      /* 3D: [first_layer, depth) of first_level are bound, z counts from first_layer */
   uint32_t first_layer, last_layer; /* of arrays and cubes (six a cube) */
   uint32_t first_level, last_level; /* of the view */
   uint32_t samples;
   float min_lod;
   uint8_t border_swizzle;            /* BC_SWIZZLE */
   uint8_t select[4];                 /* DST_SEL_X..W: 0 zero, 1 one, 4..7 component */
   const struct image_layout *layout; /* of the whole resource; NULL: null descriptor, reads 0 */
};

struct surface;

/* What a T# says, but where texels lie: that is the layout of `surface`. A null descriptor has no type and no surface.
 * False with *why: this card can't use it. */
bool image_decode(const uint32_t word[8], struct image *image, struct surface *surface, const char **why);

/* The T# in the eight SGPRs from `sreg` on (r128: four). False: a fault was raised (return ISA_TRAP). `image` refers to
 * what the card keeps until the next call. */
bool image_read(struct wave *wave, const struct inst *inst, unsigned sreg, bool r128, struct image *image);

/* Texels of `level` (absolute): width, height, depth. */
void image_level_size(const struct image *image, unsigned level, uint32_t size[3]);

/* Whether a texel is in the image. */
bool image_contains(const struct image *image, unsigned level, int32_t x, int32_t y, int32_t z, uint32_t layer,
                    unsigned sample);

/* The address of the element that holds a texel that is in the image. */
uint64_t image_address(const struct image *image, unsigned level, int32_t x, int32_t y, int32_t z, uint32_t layer,
                       unsigned sample);

/* A texel of `level` (absolute) at integer coordinates; `layer` absolute, 0 for 3D (z is a coordinate there). Outside
 * of the image: as if its bits were 0. *resident is cleared if the page is missing (PRT). False: a fault was raised
 * (return ISA_TRAP). */
bool image_fetch(struct wave *wave, const struct inst *inst, const struct image *image, unsigned level, int32_t x,
                 int32_t y, int32_t z, uint32_t layer, unsigned sample, struct texel *texel, bool *resident);

/* Writes a texel that is in the image, of a format that can be encoded; `data` as registers hold it (DST_SEL says which
 * of them goes where). False: a fault was raised. */
bool image_put(struct wave *wave, const struct inst *inst, const struct image *image, unsigned level, int32_t x,
               int32_t y, int32_t z, uint32_t layer, unsigned sample, const uint32_t data[4]);

/* Component i of what is returned: DST_SEL applied. */
uint32_t image_select(const struct image *image, const struct texel *texel, unsigned i);

#endif
