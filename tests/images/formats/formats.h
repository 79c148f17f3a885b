/* SPDX-License-Identifier: MIT */
/* The formats that are tried: all that the driver may report for an image or a texel buffer. */
#ifndef TESTS_IMAGES_FORMATS_H
#define TESTS_IMAGES_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

enum numbers { NUMBERS_FLOAT, NUMBERS_SINT, NUMBERS_UINT };

struct format {
   const char *name;
   VkFormat format;
   VkImageAspectFlags aspect;
   enum numbers numbers;
   uint8_t bytes;         /* of a texel, or of a block of them */
   uint8_t width, height; /* of a block */
   uint8_t bits[4];       /* of integers, as the shader sees the components */
   float tolerance;       /* how much what is read may differ; 0: not in a bit */
   bool normalized;       /* integers that stand for 0 to 1, or -1 to 1 */
};

extern const struct format formats[];
extern const unsigned format_count;

#endif
