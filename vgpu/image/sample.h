/* SPDX-License-Identifier: MIT */
/* Image instructions that take a sampler: image_sample_*, image_gather4*, image_get_lod; and those that test rays. */
#ifndef VGPU_SAMPLE_H
#define VGPU_SAMPLE_H

#include "isa/isa.h"

/* All of image_sample_*, image_gather4* and image_get_lod. */
enum isa_result image_sample_execute(struct wave *wave, const struct inst *inst);

/* image_bvh_intersect_ray and image_bvh64_intersect_ray. */
enum isa_result image_bvh_execute(struct wave *wave, const struct inst *inst);

#endif
