/* SPDX-License-Identifier: MIT */
/* Which levels a lookup reads, and how far it stretches (Vulkan 1.3, 16.5.7: scale factor and LOD operations). */
#ifndef VGPU_LOD_H
#define VGPU_LOD_H

#include "image/sampler.h"

/* How coordinates (as the sampler takes them) change from a pixel to the next, to the right and down. */
struct gradient {
   float dx[3], dy[3];
};

struct lod {
   int raw;     /* with bias, before it is clamped; in LOD_ONE ths */
   int clamped; /* relative to the view's first level */
   /* Anisotropy: so many places along a line, of which `line` is the length, in coordinates. */
   unsigned probes;
   double line[3];
};

/* From a gradient along `axes` axes. */
struct lod lod_implicit(const struct sampler *sampler, const struct image *image, const struct gradient *gradient,
                        unsigned axes, float bias, float lod_clamp);

/* As given. */
struct lod lod_explicit(const struct sampler *sampler, const struct image *image, float lod, float lod_clamp);

/* The levels, absolute, that a LOD chooses, and the weight of the second in 256ths. */
void lod_levels(const struct sampler *sampler, const struct image *image, int lod, unsigned level[2], unsigned *weight);

#endif
