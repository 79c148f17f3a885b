/* SPDX-License-Identifier: MIT */
/*
 * The unified formats of buffers and images (RDNA3 ISA guide, 9.1.4, table of data formats; numbers: GFX11_FORMAT of
 * Mesa's gfx11-rsrc.json). Their names list the fields from the most significant to the least significant bits.
 */
#ifndef VGPU_FORMAT_H
#define VGPU_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum format_kind {
   FORMAT_UNORM,
   FORMAT_SNORM,
   FORMAT_USCALED,
   FORMAT_SSCALED,
   FORMAT_UINT,
   FORMAT_SINT,
   FORMAT_FLOAT,
   FORMAT_SRGB,
   FORMAT_BITS /* as they are: for instructions that do not convert */
};

enum format_packing {
   PACKING_FIELDS,
   PACKING_SHARED_EXPONENT,
   PACKING_GB_GR, /* two texels of four bytes that share red and blue: green in the odd bytes */
   PACKING_BG_RG, /* the same with green in the even bytes */
   PACKING_BC     /* 4x4 blocks; `bc` says which */
};

/* An element is what is addressed: a texel, or a block of texels. */
struct format {
   enum format_packing packing;
   enum format_kind kind;
   uint8_t bytes; /* of an element */
   uint8_t block_width, block_height;
   uint8_t components;
   uint8_t bc;                /* 1 to 7 */
   bool is_signed;            /* of BC6 */
   uint8_t shift[4], bits[4]; /* of each component */
};

/* One texel after format conversion, before DST_SEL: floats' bits, or integers, as the format says. */
struct texel {
   uint32_t component[4];
};

/* NULL: no format, or one that this card does not know. */
const struct format *format_get(unsigned number);

/* Numbers that are integers in registers. */
static inline bool
format_is_integer(const struct format *format)
{
   return format->kind == FORMAT_UINT || format->kind == FORMAT_SINT || format->kind == FORMAT_BITS;
}

/* What DST_SEL's 1 stands for; also if there is no format. */
static inline uint32_t
format_one(const struct format *format)
{
   return format && format_is_integer(format) ? 1 : 0x3f800000;
}

/* Texel (x, y) of the element. Components that the format lacks are 0, 0, 0, 1. */
void format_decode(const struct format *format, const void *element, unsigned x, unsigned y, struct texel *texel);

/* DST_SEL (0 zero, 1 one, 4..7 component): what is returned for it; and the components that are stored from four
 * registers, which it applies to the other way round. */
uint32_t format_select(const struct format *format, unsigned select, const struct texel *texel);
struct texel format_unselect(const uint8_t select[4], const uint32_t data[4]);

/* Only PACKING_FIELDS and PACKING_SHARED_EXPONENT can be written. */
bool format_can_encode(const struct format *format);
void format_encode(const struct format *format, const struct texel *texel, void *element);

/* sRGB to linear; 0 to 1. */
float format_from_srgb(float value);

#endif
