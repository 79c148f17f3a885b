/* SPDX-License-Identifier: MIT */
/* Samplers, and what they make of an image: level of detail, address modes, filters. RDNA3 ISA guide, 10.6; where it
 * is short, Vulkan's chapter on image operations. */
#ifndef SAMPLER_H
#define SAMPLER_H

#include "texture.h"

enum address_mode { WRAP, MIRROR, CLAMP_LAST, MIRROR_ONCE_LAST, CLAMP_BORDER = 6, MIRROR_ONCE_BORDER };
enum mip_filter { MIP_NONE, MIP_POINT, MIP_LINEAR };

struct sampler {
   unsigned address[3];
   unsigned compare; /* 0 never, 1 <, 2 ==, 3 <=, 4 >, 5 !=, 6 >=, 7 always */
   bool unnormalized;
   unsigned reduction;               /* 0: weighted, 1: least, 2: greatest */
   unsigned least_lod, greatest_lod; /* in 256ths */
   int lod_bias;                     /* in 256ths */
   bool linear_mag, linear_min;
   enum mip_filter mip;
   unsigned border; /* 0 transparent black, 1 opaque black, 2 white */
};

void sampler_encode(const struct sampler *sampler, uint32_t word[4]);
struct sampler sampler_decode(const uint32_t word[4]);

/* What an instruction asks for. */
struct sample {
   double coordinate[3];
   int offset[3];
   double lod; /* before bias and clamps */
   bool compares;
   double reference;
};

struct texels {
   const struct texture *texture;
   const uint8_t *memory; /* at the texture's base */
};

/* Lod as it is used: biased and clamped, from the base level up. */
double sampler_lod(const struct sampler *sampler, double lod);

/* One texel of a component where only one counts: true, and its field; else false. */
bool sample_single(const struct sampler *sampler, const struct texels *texels, const struct sample *sample,
                   uint32_t *level, int32_t texel[3]);

/* A component, filtered; `c` counts the format's. */
double sample_filtered(const struct sampler *sampler, const struct texels *texels, const struct sample *sample,
                       unsigned c);

/* The four texels that a bilinear filter would take, in gather's order. */
void sample_gather(const struct sampler *sampler, const struct texels *texels, const struct sample *sample, unsigned c,
                   double result[4]);

/* After the address mode: false where the border is. */
bool address_texel(const struct sampler *sampler, const struct texture *texture, unsigned level, int32_t texel[3]);

double border_value(const struct sampler *sampler, unsigned c);

#endif
