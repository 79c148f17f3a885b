/* SPDX-License-Identifier: MIT */
/* Small linear images and samplers for a wave in a box: T# in s[0:7], S# in s[8:11]. */
#ifndef TEXTURE_BOX_H
#define TEXTURE_BOX_H

#include "image/image.h"
#include "isa/half.h"
#include "wave_box.h"

enum { FORMAT_16_UNORM = 7, FORMAT_32_UINT = 20, FORMAT_32_FLOAT = 22, FORMAT_8888_UNORM = 42 };
enum { FORMAT_32323232_FLOAT = 63, FORMAT_8888_SRGB = 66 };
enum { TEXTURE = 0, SAMPLER = 8 }; /* SGPRs */

/* DST_SEL of an image with one component, and of one with all. */
enum {
   SELECT_X001 = 4 | 1 << 9,
   SELECT_XYZW = 4 | 5 << 3 | 6 << 6 | 7 << 9,
   SELECT_WZYX = 7 | 6 << 3 | 5 << 6 | 4 << 9
};

struct view {
   unsigned type, format, width, height, depth, levels, base_level, select, border_swizzle, min_lod;
};

extern const struct view view_plain;     /* 2D, 4x4, a float a texel */
extern const struct view view_mipmapped; /* 2D, 8x8, four levels */
extern const struct view view_volume;    /* 3D, 8x8x8, four levels */

extern struct image image; /* what view_bind has bound */

/* A fresh wave with a view and a sampler: repeat, nearest, no levels. */
void view_fresh(const struct view *view);
void view_bind(const struct view *view);
uint8_t *view_texel(unsigned level, int x, int y, int z, unsigned layer);
void view_put(unsigned level, int x, int y, unsigned z_or_layer, float value);

/* Each level with its number + 1, plus an eighth for each z. */
void view_fill_levels(const struct view *view);

/* Wraps; filters: mag, min; mip: 1 point, 2 linear. */
void sampler_set(unsigned wrap, unsigned filter, unsigned mip);

/* A VGPR of all lanes; as two halfs; and of one lane. */
void lanes_set(unsigned vgpr, float value);
void lanes_set_halfs(unsigned vgpr, float low, float high);
float lane_get(unsigned vgpr, unsigned lane);

/* Runs to the end. */
void box_look(const char *text);

#define LOOK(name) name " v0, v[4:5], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n"

#endif
