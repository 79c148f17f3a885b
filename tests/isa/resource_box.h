/* SPDX-License-Identifier: MIT */
/* Linear images and formatted buffers for a wave in a box, whose data counts up: T# in s[4:11], V# in s[12:15]. */
#ifndef RESOURCE_BOX_H
#define RESOURCE_BOX_H

#include "isa/half.h"
#include "wave_box.h"

enum { T_SGPR = 4, V_SGPR = 12 };

/* What a T# says; fields of 0 mean the usual. */
struct texture {
   uint32_t type, format, width, height, depth_or_last, first_layer, pitch, levels, base_level, select;
   uint64_t offset; /* of the data */
   bool slices;
};

enum { T_1D = 8, T_2D = 9, T_3D = 10, T_2D_ARRAY = 13 };
enum { FMT_8_UNORM = 1, FMT_32_UINT = 20, FMT_32_FLOAT = 22, FMT_8_8_8_8_UNORM = 42, FMT_32_32_UINT = 48 };
enum { FMT_8_8_8_8_UINT = 46, FMT_8_8_8_8_SINT = 47, FMT_16_16_16_16_FLOAT = 57 };

#define SELECT_XYZW (4 | 5 << 3 | 6 << 6 | 7 << 9)
#define SELECT_ZYXW (6 | 5 << 3 | 4 << 6 | 7 << 9)
#define SELECT_X001 (4 | 0 << 3 | 0 << 6 | 1 << 9)

void texture_set(const struct texture *texture);
void buffer_set(uint32_t format, uint32_t stride, uint32_t records, uint32_t oob_select, uint32_t select);

/* A fresh wave: v0 = lane % 8, v1 = lane / 8, a square of 8 x 8 coordinates; v2 and v3 are 0. */
void resources_fresh(bool wave64);

uint8_t byte_at(uint32_t offset);
uint32_t resources_dword(uint32_t offset); /* what the data began with */

/* A page without memory right behind the data. */
#define PRT_OFFSET BOX_DATA_SIZE
void prt_map(void);

#endif
