/* SPDX-License-Identifier: MIT */
/* What is tried with each format and shape. */
#ifndef TESTS_TRANSFER_OPERATION_H
#define TESTS_TRANSFER_OPERATION_H

#include "image.h"

struct operation {
   const char *name;
   bool graphics; /* not on queues without */
   bool filters;  /* what is written may differ by a rounding, in floats by a hundredth */
   bool (*supported)(const struct side *side, const struct format *format, const struct shape *shape);
   void (*run)(struct side *side, const struct format *format, const struct shape *shape);
};

extern const struct operation copy_operation;
extern const struct operation round_trip_operation; /* to an image and back: the result is the source, at its offsets */
extern const struct operation clear_operation;
extern const struct operation blit_nearest_operation, blit_linear_operation, blit_mips_operation;
extern const struct operation blit_convert_operation;
extern const struct operation render_clear_operation;
extern const struct operation resolve_operation, render_resolve_operation;

/* Colours to clear with: exact in every format. */
VkClearColorValue clear_color(const struct format *format, unsigned variant);
VkClearValue clear_value(const struct format *format, unsigned variant);

#endif
