/* SPDX-License-Identifier: MIT */
/* The texels around a place in a level, and what becomes of them. */
#ifndef VGPU_FILTER_H
#define VGPU_FILTER_H

#include "image/sampler.h"

struct inst;

/* What a lane looks up. */
struct lookup {
   struct wave *wave;
   const struct inst *inst;
   const struct image *image;
   const struct sampler *sampler;
   struct texel border;
   bool cube, compare;
   unsigned axes;       /* that are filtered: 1 to 3 */
   unsigned depth_from; /* component that is compared */
   float coordinate[3];
   float reference;
   int32_t offset[3];
   uint32_t layer; /* absolute; of a cube's face: its first layer */
   int32_t slice;  /* z of a 3D image that is looked at slice by slice */
   unsigned face;
   bool resident; /* cleared when a page is missing */
};

/* Texels, summed with their weights; or their minimum or maximum. */
struct blend {
   double sum[4];
   struct texel texel; /* of integer formats, which are not filtered */
   bool any;
};

/* Adds the texels of `level` (absolute) around `coordinate`. False: a fault was raised. */
bool filter_level(struct lookup *lookup, const float coordinate[3], unsigned level, bool bilinear, double weight,
                  struct blend *blend);

/* The result as an image's texel, before DST_SEL. */
struct texel filter_result(const struct lookup *lookup, const struct blend *blend);

/* Four texels: a square of two by two, or four in a row (`row`). Anticlockwise from the lower left, or left to right.
 */
bool filter_gather(struct lookup *lookup, unsigned level, bool row, struct texel texels[4]);

#endif
