/* SPDX-License-Identifier: MIT */
/* What the words of descriptors say. V#, T# and S#: RDNA3 ISA guide, tables "Buffer Resource Descriptor", "Image
 * Resource Definition" and "Sampler Resource Definition". */
#ifndef HDB_WORDS_H
#define HDB_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* VkDescriptorType (Vulkan specification). */
enum {
   TYPE_SAMPLER = 0,
   TYPE_COMBINED_IMAGE_SAMPLER = 1,
   TYPE_SAMPLED_IMAGE = 2,
   TYPE_STORAGE_IMAGE = 3,
   TYPE_UNIFORM_TEXEL_BUFFER = 4,
   TYPE_STORAGE_TEXEL_BUFFER = 5,
   TYPE_STORAGE_BUFFER = 7,
   TYPE_INPUT_ATTACHMENT = 10,
   TYPE_ACCELERATION_STRUCTURE = 1000150000,
   TYPE_MUTABLE = 1000351000
};

static inline uint32_t
word_bits(const uint32_t *word, unsigned first, unsigned count)
{
   uint64_t pair = word[first / 32];
   if (first % 32 + count > 32)
      pair |= (uint64_t)word[first / 32 + 1] << 32;
   return pair >> first % 32 & ((1ull << count) - 1);
}

/* A V#. Without a format it stands for nothing. */
bool words_is_buffer(const uint32_t word[4]);
uint64_t words_buffer_address(const uint32_t word[4]);
uint64_t words_buffer_size(const uint32_t word[4]); /* bytes */

/* A T#, as far as it concerns people; whole of it: values/image.h. */
bool words_is_image(const uint32_t word[8]);
uint64_t words_image_address(const uint32_t word[8]);
void words_image_size(const uint32_t word[8], uint32_t *width, uint32_t *height, uint32_t *depth, uint32_t *layers,
                      uint32_t *levels); /* of the view: of its first level */
/* As the ISA guide spells them, fields from the most significant on: 8_8_8_8_UNORM; NULL: there is no such format. */
const char *words_format_name(uint32_t number);
/* With how the view maps components, unless that is xyzw: "8_8_8_8_UNORM zyxw". */
void words_image_format(const uint32_t word[8], char text[64]);

/* One line for people each; returns its length, as snprintf. */
int words_describe_image(const uint32_t word[8], char *text, size_t size);
int words_describe_sampler(const uint32_t word[4], char *text, size_t size);
int words_describe_texel_buffer(const uint32_t word[4], char *text, size_t size);

#endif
