/* SPDX-License-Identifier: MIT */
#include "values/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Addresses have 48 bits, sign-extended. */
static uint64_t
canonical(uint64_t address)
{
   return (uint64_t)((int64_t)(address << 16) >> 16);
}

/* ---- formats (GFX11_FORMAT of Mesa's gfx11-rsrc.json; V# and T# share them) ---- */

const char *
words_format_name(uint32_t number)
{
   static const char *const names[] = {
      [1] = "8_UNORM",
      [2] = "8_SNORM",
      [3] = "8_USCALED",
      [4] = "8_SSCALED",
      [5] = "8_UINT",
      [6] = "8_SINT",
      [7] = "16_UNORM",
      [8] = "16_SNORM",
      [9] = "16_USCALED",
      [10] = "16_SSCALED",
      [11] = "16_UINT",
      [12] = "16_SINT",
      [13] = "16_FLOAT",
      [14] = "8_8_UNORM",
      [15] = "8_8_SNORM",
      [16] = "8_8_USCALED",
      [17] = "8_8_SSCALED",
      [18] = "8_8_UINT",
      [19] = "8_8_SINT",
      [20] = "32_UINT",
      [21] = "32_SINT",
      [22] = "32_FLOAT",
      [23] = "16_16_UNORM",
      [24] = "16_16_SNORM",
      [25] = "16_16_USCALED",
      [26] = "16_16_SSCALED",
      [27] = "16_16_UINT",
      [28] = "16_16_SINT",
      [29] = "16_16_FLOAT",
      [30] = "10_11_11_FLOAT",
      [31] = "11_11_10_FLOAT",
      [32] = "10_10_10_2_UNORM",
      [33] = "10_10_10_2_SNORM",
      [34] = "10_10_10_2_UINT",
      [35] = "10_10_10_2_SINT",
      [36] = "2_10_10_10_UNORM",
      [37] = "2_10_10_10_SNORM",
      [38] = "2_10_10_10_USCALED",
      [39] = "2_10_10_10_SSCALED",
      [40] = "2_10_10_10_UINT",
      [41] = "2_10_10_10_SINT",
      [42] = "8_8_8_8_UNORM",
      [43] = "8_8_8_8_SNORM",
      [44] = "8_8_8_8_USCALED",
      [45] = "8_8_8_8_SSCALED",
      [46] = "8_8_8_8_UINT",
      [47] = "8_8_8_8_SINT",
      [48] = "32_32_UINT",
      [49] = "32_32_SINT",
      [50] = "32_32_FLOAT",
      [51] = "16_16_16_16_UNORM",
      [52] = "16_16_16_16_SNORM",
      [53] = "16_16_16_16_USCALED",
      [54] = "16_16_16_16_SSCALED",
      [55] = "16_16_16_16_UINT",
      [56] = "16_16_16_16_SINT",
      [57] = "16_16_16_16_FLOAT",
      [58] = "32_32_32_UINT",
      [59] = "32_32_32_SINT",
      [60] = "32_32_32_FLOAT",
      [61] = "32_32_32_32_UINT",
      [62] = "32_32_32_32_SINT",
      [63] = "32_32_32_32_FLOAT",
      [64] = "8_SRGB",
      [65] = "8_8_SRGB",
      [66] = "8_8_8_8_SRGB",
      [67] = "5_9_9_9_FLOAT",
      [68] = "5_6_5_UNORM",
      [69] = "1_5_5_5_UNORM",
      [70] = "5_5_5_1_UNORM",
      [71] = "4_4_4_4_UNORM",
      [72] = "4_4_UNORM",
      [73] = "1_UNORM",
      [74] = "1_REVERSED_UNORM",
      [75] = "32_FLOAT_CLAMP",
      [76] = "8_24_UNORM",
      [77] = "8_24_UINT",
      [78] = "24_8_UNORM",
      [79] = "24_8_UINT",
      [80] = "X24_8_32_UINT",
      [81] = "X24_8_32_FLOAT",
      [82] = "GB_GR_UNORM",
      [83] = "GB_GR_SNORM",
      [84] = "GB_GR_UINT",
      [85] = "GB_GR_SRGB",
      [86] = "BG_RG_UNORM",
      [87] = "BG_RG_SNORM",
      [88] = "BG_RG_UINT",
      [89] = "BG_RG_SRGB",
      [90] = "MM_10_IN_16_UNORM",
      [91] = "MM_10_IN_16_UINT",
      [92] = "MM_10_IN_16_16_UNORM",
      [93] = "MM_10_IN_16_16_UINT",
      [95] = "MM_10_IN_16_16_16_16_UINT",
      [109] = "BC1_UNORM",
      [110] = "BC1_SRGB",
      [111] = "BC2_UNORM",
      [112] = "BC2_SRGB",
      [113] = "BC3_UNORM",
      [114] = "BC3_SRGB",
      [115] = "BC4_UNORM",
      [116] = "BC4_SNORM",
      [117] = "BC5_UNORM",
      [118] = "BC5_SNORM",
      [119] = "BC6_UFLOAT",
      [120] = "BC6_SFLOAT",
      [121] = "BC7_UNORM",
      [122] = "BC7_SRGB",
   };
   return number < sizeof(names) / sizeof(names[0]) ? names[number] : NULL;
}

static const char *
format_name(uint32_t number, char buffer[24])
{
   const char *name = words_format_name(number);
   if (name)
      return name;
   snprintf(buffer, 24, "format %u", number);
   return buffer;
}

/* ---- V# ---- */

bool
words_is_buffer(const uint32_t word[4])
{
   return word_bits(word, 108, 6);
}

uint64_t
words_buffer_address(const uint32_t word[4])
{
   return canonical(word[0] | (uint64_t)word_bits(word, 32, 16) << 32);
}

uint64_t
words_buffer_size(const uint32_t word[4])
{
   uint64_t stride = word_bits(word, 48, 14), records = word[2];
   return stride ? records * stride : records;
}

int
words_describe_texel_buffer(const uint32_t word[4], char *text, size_t size)
{
   char format[24];
   if (!words_is_buffer(word))
      return snprintf(text, size, "null descriptor");
   return snprintf(text, size, "texel buffer of %u elements of %u bytes, %s, at 0x%" PRIx64, word[2],
                   word_bits(word, 48, 14), format_name(word_bits(word, 108, 6), format), words_buffer_address(word));
}

/* ---- T# ---- */

enum {
   TYPE_3D = 10,
   TYPE_CUBE = 11,
   TYPE_1D_ARRAY = 12,
   TYPE_2D_ARRAY = 13,
   TYPE_2D_MSAA = 14,
   TYPE_2D_MSAA_ARRAY = 15
};

static const char *const image_types[16] = {
   [8] = "1D",        [9] = "2D",        [10] = "3D",      [11] = "cube",
   [12] = "1D array", [13] = "2D array", [14] = "2D MSAA", [15] = "2D MSAA array"};

static uint32_t
image_type(const uint32_t word[8])
{
   return word_bits(word, 124, 4);
}

static bool
has_layers(uint32_t type)
{
   return type == TYPE_CUBE || type == TYPE_1D_ARRAY || type == TYPE_2D_ARRAY || type == TYPE_2D_MSAA_ARRAY;
}

/* LAST_LEVEL is then the logarithm of the number of samples: Mesa, ac_descriptors.c. */
static bool
is_multisampled(uint32_t type)
{
   return type == TYPE_2D_MSAA || type == TYPE_2D_MSAA_ARRAY;
}

bool
words_is_image(const uint32_t word[8])
{
   return image_types[image_type(word)];
}

uint64_t
words_image_address(const uint32_t word[8])
{
   return canonical(((uint64_t)word[0] | (uint64_t)word_bits(word, 32, 8) << 32) << 8);
}

static uint32_t
level_size(uint32_t size, uint32_t level)
{
   return size >> level ? size >> level : 1;
}

void
words_image_size(const uint32_t word[8], uint32_t *width, uint32_t *height, uint32_t *depth, uint32_t *layers,
                 uint32_t *levels)
{
   uint32_t type = image_type(word), first = word_bits(word, 108, 4), last = word_bits(word, 112, 4),
            slices = word_bits(word, 128, 13) + 1;
   *width = level_size(word_bits(word, 62, 14) + 1, first);
   *height = type == 8 || type == TYPE_1D_ARRAY ? 1 : level_size(word_bits(word, 78, 14) + 1, first);
   *depth = type == TYPE_3D ? level_size(slices, first) : 1;
   *layers = has_layers(type) ? slices - word_bits(word, 144, 13) : 1;
   *levels = is_multisampled(type) ? 1 : last - first + 1;
}

void
words_image_format(const uint32_t word[8], char text[64])
{
   static const char names[] = "01??xyzw";
   char buffer[24], swizzle[5] = "";
   for (unsigned i = 0; i < 4; i++)
      swizzle[i] = names[word_bits(word, 96 + 3 * i, 3)]; /* DST_SEL_X to DST_SEL_W */
   bool plain = strcmp(swizzle, "xyzw") == 0;
   snprintf(text, 64, "%s%s%s", format_name(word_bits(word, 52, 8), buffer), plain ? "" : " ", plain ? "" : swizzle);
}

/* ", levels 0 to 3", counted from the view's first one, as commands do. */
static int
describe_range(const char *what, uint32_t count, uint32_t first, char *text, size_t size)
{
   int length = snprintf(text, size, ", %ss 0 to %u", what, count - 1);
   return first ? length + snprintf(text + length, size - length, " (from %s %u of the image on)", what, first)
                : length;
}

int
words_describe_image(const uint32_t word[8], char *text, size_t size)
{
   uint32_t type = image_type(word), width, height, depth, layers, levels;
   char format[64];
   if (!image_types[type])
      return snprintf(text, size, "null descriptor");
   words_image_size(word, &width, &height, &depth, &layers, &levels);
   words_image_format(word, format);
   int length = snprintf(text, size, "%s image %ux%u", image_types[type], width, height);
   if (type == TYPE_3D)
      length += snprintf(text + length, size - length, "x%u", depth);
   if (has_layers(type))
      length += describe_range("layer", layers, word_bits(word, 144, 13), text + length, size - length);
   if (is_multisampled(type))
      length += snprintf(text + length, size - length, ", %u samples", 1u << word_bits(word, 112, 4));
   else
      length += describe_range("level", levels, word_bits(word, 108, 4), text + length, size - length);
   return length + snprintf(text + length, size - length, ", %s, at 0x%" PRIx64, format, words_image_address(word));
}

/* ---- S# ---- */

int
words_describe_sampler(const uint32_t word[4], char *text, size_t size)
{
   static const char *const clamps[8] = {"repeat",          "mirrored repeat",      "clamp to edge",
                                         "mirror to edge",  "clamp half to border", "mirror half to border",
                                         "clamp to border", "mirror to border"};
   static const char *const filters[4] = {"nearest", "linear", "anisotropic nearest", "anisotropic linear"};
   return snprintf(text, size, "sampler, magnify %s, minify %s, %s / %s / %s", filters[word_bits(word, 84, 2)],
                   filters[word_bits(word, 86, 2)], clamps[word_bits(word, 0, 3)], clamps[word_bits(word, 3, 3)],
                   clamps[word_bits(word, 6, 3)]);
}
