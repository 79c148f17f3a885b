/* SPDX-License-Identifier: MIT */
/*
 * Where the elements of a surface lie. Within a block of a tiled surface the bits of an address are XORs of bits of the
 * coordinates; which ones, and where levels and layers begin, AMD's addrlib says (libhdb-addrlib, loaded when the first
 * tiled surface appears). Linear surfaces do without.
 */
#ifndef VGPU_LAYOUT_H
#define VGPU_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define LAYOUT_MAX_LEVELS 16

/* A surface, in elements. */
struct surface {
   uint32_t swizzle_mode;          /* SW_MODE of the T#; 0 is linear */
   uint32_t dimension;             /* 1, 2 or 3 */
   uint32_t bytes;                 /* of an element */
   uint32_t width, height, slices; /* of level 0; slices: layers, or the depth */
   uint32_t levels, samples;
   uint32_t pitch; /* linear, one level: elements a row; 0: as it comes */
};

/* addr[i][b]: what byte i of a coordinate being b contributes to the address. */
struct layout_swizzle {
   uint32_t x[2][256], y[2][256], z[2][256], sample[16];
};

struct image_layout {
   struct surface surface;
   const struct layout_swizzle *swizzle; /* NULL: linear */
   uint8_t block_log2;                   /* bytes */
   uint8_t block_width_log2, block_height_log2, block_depth_log2;
   uint64_t slice_size; /* bytes from a slice (of blocks) to the next */
   struct layout_level {
      uint64_t offset;
      uint32_t pitch;          /* bytes a row; tiled: blocks */
      uint32_t tail_x, tail_y; /* where the level lies in the block of small ones */
   } level[LAYOUT_MAX_LEVELS];
};

/* Of cards with this GB_ADDR_CONFIG. Used by one thread at a time. NULL: no memory. */
struct layout_cache;
struct layout_cache *layout_cache_create(uint32_t gb_addr_config);
void layout_cache_destroy(struct layout_cache *cache);

/* The layout of a surface, kept until the next call. NULL with *why: cannot be had. */
const struct image_layout *layout_get(struct layout_cache *cache, const struct surface *surface, const char **why);

/* The address of an element. `base` holds the tile swizzle in the bits below the block's size. */
static inline uint64_t
layout_address(const struct image_layout *layout, uint64_t base, unsigned level, uint32_t x, uint32_t y, uint32_t z,
               unsigned sample)
{
   const struct layout_level *at = &layout->level[level];
   const struct layout_swizzle *swizzle = layout->swizzle;
   if (!swizzle)
      return base + z * layout->slice_size + at->offset + (uint64_t)y * at->pitch + (uint64_t)x * layout->surface.bytes;
   uint64_t block = (uint64_t)(y >> layout->block_height_log2) * at->pitch + (x >> layout->block_width_log2);
   uint64_t origin = (uint64_t)(z >> layout->block_depth_log2) * layout->slice_size + at->offset;
   x += at->tail_x;
   y += at->tail_y;
   uint32_t in_block = swizzle->x[0][x & 255] ^ swizzle->x[1][x >> 8 & 255] ^ swizzle->y[0][y & 255] ^
                       swizzle->y[1][y >> 8 & 255] ^ swizzle->z[0][z & 255] ^ swizzle->z[1][z >> 8 & 255] ^
                       swizzle->sample[sample & 15];
   uint64_t mask = (UINT64_C(1) << layout->block_log2) - 1;
   return (base & ~mask) + origin + (block << layout->block_log2) + (in_block ^ (base & mask));
}

#endif
