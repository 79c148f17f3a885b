/* SPDX-License-Identifier: MIT */
/* Block-compressed formats: Khronos Data Format Specification 1.3, chapters 18 (S3TC), 19 (RGTC) and 20 (BPTC). */
#ifndef VGPU_BLOCK_H
#define VGPU_BLOCK_H

#include "image/format.h"

/* Texel 0..15 (row by row) of a block; components that the format lacks are left as they are. */
void block_decode(const struct format *format, const uint8_t *block, unsigned at, struct texel *texel);

/* BC7: 8 bits a component. BC6: halfs. */
void bptc_unorm_decode(const uint8_t *block, unsigned at, uint8_t rgba[4]);
void bptc_float_decode(const uint8_t *block, unsigned at, bool is_signed, uint16_t rgb[3]);

static inline uint32_t
block_bits(const uint8_t *block, unsigned first, unsigned count)
{
   uint32_t value = 0;
   for (unsigned i = 0; i < count; i++)
      value |= (uint32_t)(block[(first + i) / 8] >> (first + i) % 8 & 1) << i;
   return value;
}

#endif
