/* SPDX-License-Identifier: MIT */
/* S#: how coordinates become texels (RDNA3 ISA guide, 8.2.6; fields of gfx11: SQ_IMG_SAMP_* of Mesa's gfx11-rsrc.json,
 * values: SQ_TEX_* and SQ_IMG_FILTER_* of its gfx6.json). */
#ifndef VGPU_SAMPLER_H
#define VGPU_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "image/image.h"

enum sampler_wrap {
   WRAP_REPEAT,
   WRAP_MIRROR,
   WRAP_CLAMP,
   WRAP_MIRROR_ONCE,
   WRAP_HALF_BORDER,
   WRAP_MIRROR_ONCE_HALF_BORDER,
   WRAP_BORDER,
   WRAP_MIRROR_ONCE_BORDER
};

enum sampler_compare {
   COMPARE_NEVER,
   COMPARE_LESS,
   COMPARE_EQUAL,
   COMPARE_LESS_EQUAL,
   COMPARE_GREATER,
   COMPARE_NOT_EQUAL,
   COMPARE_GREATER_EQUAL,
   COMPARE_ALWAYS
};

/* Of XY_MAG_FILTER and XY_MIN_FILTER; bit 0: bilinear, bit 1: anisotropic. */
enum { FILTER_BILINEAR = 1, FILTER_ANISO = 2 };

/* Of Z_FILTER and MIP_FILTER. */
enum sampler_filter { FILTER_NONE, FILTER_POINT, FILTER_LINEAR };

enum sampler_reduction { REDUCTION_BLEND, REDUCTION_MIN, REDUCTION_MAX };

enum sampler_border { BORDER_TRANSPARENT_BLACK, BORDER_OPAQUE_BLACK, BORDER_OPAQUE_WHITE, BORDER_REGISTER };

/* LODs have eight bits of fraction, as all of the sampler's arithmetic: RADV reports subTexelPrecisionBits and
 * mipmapPrecisionBits of 8. */
enum { LOD_ONE = 256 };

/* PERF_MIP, PERF_Z, ANISO_THRESHOLD and ANISO_BIAS trade quality for speed in ways that are not documented, and no
 * driver here sets FORCE_DEGAMMA, SKIP_DEGAMMA or LOD_BIAS_SEC: not here.
 */
struct sampler {
   enum sampler_wrap wrap[3];
   unsigned max_aniso; /* 1, 2, 4, 8 or 16 */
   enum sampler_compare compare;
   bool unnormalized;
   bool truncate;   /* nearest texels are found without rounding to the subtexel precision first */
   bool cube_wrap;  /* filters across the edges of a cube */
   bool skip_aniso; /* ANISO_OVERRIDE: none with a single level */
   enum sampler_reduction reduction;
   int min_lod, max_lod, bias;
   unsigned mag, min; /* FILTER_* bits */
   enum sampler_filter z, mip;
   enum sampler_border border;
   unsigned border_index; /* of BORDER_REGISTER */
};

void sampler_read(const uint32_t word[4], struct sampler *sampler);

/* What texels outside of an image have, in the order of the image's components. False: a fault was raised. */
bool sampler_border_color(struct wave *wave, const struct inst *inst, const struct sampler *sampler,
                          const struct image *image, struct texel *color);

/* Whether `reference` passes against a texel. */
bool sampler_passes(enum sampler_compare compare, float reference, float texel);

enum { TEXEL_BORDER = -1 };

/* The texel that integer coordinate i stands for in a row of `size`, or TEXEL_BORDER. */
int32_t sampler_wrap_texel(enum sampler_wrap wrap, int32_t i, int32_t size);

/* The texels along one axis, and the weight of the second in 256ths (0: there is but one). */
struct axis {
   int32_t texel[2];
   unsigned weight;
};

/* `coordinate`: of texels if `unnormalized`, else of the whole; `offset` in texels. Texels are not wrapped yet. */
struct axis sampler_axis(enum sampler_wrap wrap, bool unnormalized, bool linear, bool truncate, float coordinate,
                         int32_t size, int32_t offset);

#endif
