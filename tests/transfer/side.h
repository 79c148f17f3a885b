/* SPDX-License-Identifier: MIT */
/*
 * One of the devices that are compared: hdb's virtual GPU, on a queue of each family, or lavapipe; with the validation
 * layer where there is one.
 */
#ifndef TESTS_TRANSFER_SIDE_H
#define TESTS_TRANSFER_SIDE_H

#include "gpu.h"

/* Texels of one format in the result. */
struct span {
   const struct format *format;
   VkImageAspectFlags aspect;
   size_t offset, bytes;
};

enum { SIDE_MAX_SPANS = 256, SIDE_BUFFER_BYTES = 4 << 20 };

struct side {
   struct gpu gpu;
   bool graphics;                /* its queue draws */
   const struct side *peer;      /* which does the same */
   struct buffer source, result; /* texels for images; what tests compare, which the spans describe */
   struct span spans[SIDE_MAX_SPANS];
   unsigned span_count;
};

/* The fork, which HDB_TEST_DRIVER names, and a driver to compare it with. False: one of them is not there. */
bool sides_open(struct side *fork, struct side *reference, const char *reference_driver);
void sides_close(struct side *fork, struct side *reference);
void side_use_family(struct side *side, uint32_t family);

extern unsigned side_complaints; /* of the validation layer */

#endif
