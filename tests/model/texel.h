/* SPDX-License-Identifier: MIT */
/* Data formats of buffers and images, a component at a time. RDNA3 ISA guide, 10.7 (table 52), 9.3, 10.4. */
#ifndef TEXEL_H
#define TEXEL_H

#include "model.h"

enum number_format { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT, SRGB, SHARED_EXPONENT };

struct texel_format {
   enum number_format number;
   uint8_t bits[4]; /* of X, Y, Z, W; X is lowest */
};

#define BUFFER_FORMATS 64 /* 1 to 63; further ones are images' alone, to be loaded from */
#define IMAGE_FORMATS 72

const struct texel_format *texel_format(unsigned format);
unsigned texel_bytes(unsigned format);
unsigned texel_components(unsigned format);
bool texel_is_integer(unsigned format);

/* The field of a component, from 0 up, and the other way. */
uint32_t texel_field(unsigned format, const uint8_t *bytes, unsigned component);
void texel_set_field(unsigned format, uint8_t *bytes, unsigned component, uint32_t field);

/* What a load makes of a field: a float or an integer of 32 bits, or with D16 of 16. */
uint32_t texel_decode(unsigned format, unsigned component, uint32_t field, bool d16);

/* What a store makes of it; `rounding`, as in MODE, is used where an f32 becomes a smaller float. */
uint32_t texel_encode(unsigned format, unsigned component, uint32_t value, bool d16, unsigned rounding);

#endif
