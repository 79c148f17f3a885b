/* SPDX-License-Identifier: MIT */
/* Random images, samplers and lookups. */
#ifndef TESTS_IMAGES_SAMPLING_CHOOSE_H
#define TESTS_IMAGES_SAMPLING_CHOOSE_H

#include "image.h"

enum { LOOKUPS = 256, FORMS = 13, DIMENSIONS = 7 };
enum { KIND_FLOAT, KIND_UINT, KIND_SHADOW, KINDS };
enum { FORM_IMPLICIT, FORM_BIAS, FORM_LOD, FORM_GRAD, FORM_GATHER, FORM_QUERY = 11 };

/* As in sampling.comp. */
struct lookup {
   float at[4], dx[4], dy[4];
   float lod, bias, reference, unused;
};

struct dimension {
   const char *name;
   VkImageViewType type;
   unsigned axes;
   bool cube, array;
   unsigned forms[KINDS]; /* bits */
};

extern const struct dimension dimensions[DIMENSIONS];

struct texels {
   VkFormat format;
   unsigned kind, bytes;
   enum { RANDOM_BYTES, RANDOM_FLOATS, RANDOM_HALFS, EIGHTHS, EIGHTHS_16 } content;
   float range; /* between the least and the greatest value */
};

/* One test: an image, a sampler, and what is looked up. */
struct test {
   const struct dimension *dimension;
   const struct texels *texels;
   struct image_info image;
   VkSamplerCreateInfo sampler;
   VkSamplerReductionModeCreateInfo reduction;
   VkSamplerCustomBorderColorCreateInfoEXT border;
   struct lookup lookups[LOOKUPS];
};

void choose_test(struct test *test, uint32_t seed);
void choose_content(const struct texels *texels, uint8_t *data, size_t bytes);

#endif
