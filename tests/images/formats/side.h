/* SPDX-License-Identifier: MIT */
/* One of the drivers that are compared, and what its shaders are bound to. */
#ifndef TESTS_IMAGES_FORMATS_SIDE_H
#define TESTS_IMAGES_FORMATS_SIDE_H

#include "set.h"

/* What a pipeline is bound to at 1; at 0 are the values. */
enum { STORAGE_IMAGE, SAMPLED_IMAGE, STORAGE_BUFFER, SAMPLED_BUFFER, LAYOUTS };
extern const VkDescriptorType side_types[LAYOUTS];

struct side {
   struct gpu gpu;
   struct buffer data, values; /* raw texels; what shaders read and write */
   struct set sets[LAYOUTS];
};

void side_open(struct side *side, const char *driver);
void side_close(struct side *side);

#endif
