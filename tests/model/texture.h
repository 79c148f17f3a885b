/* SPDX-License-Identifier: MIT */
/* Image descriptors, linear layouts, and image instructions' addresses and text. RDNA3 ISA guide, 10. */
#ifndef TEXTURE_H
#define TEXTURE_H

#include "model.h"

/* DIM in instructions; TYPE in descriptors is 8 and more (table 50). */
enum image_dim { DIM_1D, DIM_2D, DIM_3D, DIM_CUBE, DIM_1D_ARRAY, DIM_2D_ARRAY };

struct texture {
   uint64_t base;
   enum image_dim dim;
   unsigned format, width, height;
   unsigned depth; /* of 3D, or layers */
   unsigned pitch; /* in texels; given by the descriptor only if it is more than the least one */
   unsigned select[4];
   unsigned first_layer, base_level, last_level, max_mip;
};

void texture_encode(const struct texture *image, uint32_t word[8]);
struct texture texture_decode(const uint32_t word[8]);

unsigned texture_least_pitch(unsigned format, unsigned width);

/* A texel of a level from the image's base on, by its integer coordinates; layers count from the view's first. */
uint64_t texture_offset(const struct texture *image, unsigned level, const uint32_t coordinate[3]);
bool texture_contains(const struct texture *image, unsigned level, const uint32_t coordinate[3]);
unsigned texture_level_size(unsigned size, unsigned level);

/* How many coordinates there are, the array layer included. */
unsigned dim_coordinates(enum image_dim dim);
bool dim_has_layers(enum image_dim dim);

/* Chooses VGPRs for `count` address dwords, in a row or not, and prints them. */
struct random;
void choose_address(struct random *random, struct instance *instance, unsigned first, unsigned count, char text[64]);

/* The n-th number of the address: 32 bits each, or 16 with A16. */
uint32_t address_number(const struct instance *instance, const struct machine *machine, unsigned lane, unsigned n);
void set_address_number(const struct instance *instance, struct machine *machine, unsigned lane, unsigned n,
                        uint32_t value);

const char *dim_name(enum image_dim dim);

#endif
