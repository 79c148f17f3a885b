/* SPDX-License-Identifier: MIT */
/* Images and texel buffers of one driver: filled, read and written by copies and by shaders. */
#ifndef TESTS_IMAGES_FORMATS_RUN_H
#define TESTS_IMAGES_FORMATS_RUN_H

#include "formats.h"
#include "side.h"

enum operation { LOAD, STORE, FETCH, OPERATIONS };

extern const char *const operation_names[];

/* The dimensionality as GLSL names it. */
struct shape {
   const char *name;
   VkImageType type;
   VkImageViewType view;
   uint32_t width, height, depth, layers;
   bool levels;
   uint32_t samples;
};

struct extent {
   uint32_t width, height, depth;
};

struct extent level_extent(const struct shape *shape, uint32_t level);
/* Bytes of all the layers of a level, packed. */
size_t level_bytes(const struct format *format, const struct shape *shape, uint32_t level);

VkImageCreateInfo image_info(const struct format *format, const struct shape *shape, VkImageTiling tiling,
                             enum operation operation);
bool supports(struct gpu *gpu, const struct format *format, const VkImageCreateInfo *info, enum operation operation);

enum { BUFFER_TEXELS = 1000 };

/* The data or the values are the operation's input, the others its result. */
void run_image(struct side *side, const struct format *format, const struct shape *shape, const VkImageCreateInfo *info,
               enum operation operation);
void run_buffer(struct side *side, const struct format *format, enum operation operation);
void destroy_pipelines(struct side *side); /* that the runs have made */

#endif
