/* SPDX-License-Identifier: MIT */
/*
 * Copies, clears, blits and resolves of images of every format: the fork, on queues of each family, against lavapipe.
 *    transfer LAVAPIPE SHADER-DIRECTORY [format [operation]]
 * LAVAPIPE and HDB_TEST_DRIVER, the fork, are the files of the drivers. What it does on the virtual GPU it does without
 * draws.
 */
#include <math.h>
#include <string.h>

#include "operation.h"

static const struct shape shapes[] = {
   {"1D", VK_IMAGE_TYPE_1D, {37, 1, 1}, 2, 3, 1, VK_IMAGE_TILING_OPTIMAL},
   {"2D", VK_IMAGE_TYPE_2D, {37, 29, 1}, 1, 3, 1, VK_IMAGE_TILING_OPTIMAL},
   {"2D array", VK_IMAGE_TYPE_2D, {21, 29, 1}, 3, 3, 1, VK_IMAGE_TILING_OPTIMAL},
   {"3D", VK_IMAGE_TYPE_3D, {21, 13, 13}, 1, 3, 1, VK_IMAGE_TILING_OPTIMAL},
   {"linear 2D", VK_IMAGE_TYPE_2D, {37, 29, 1}, 1, 1, 1, VK_IMAGE_TILING_LINEAR},
   {"4 samples", VK_IMAGE_TYPE_2D, {37, 29, 1}, 1, 1, 4, VK_IMAGE_TILING_OPTIMAL},
   {"4 samples, array", VK_IMAGE_TYPE_2D, {21, 19, 1}, 2, 1, 4, VK_IMAGE_TILING_OPTIMAL},
};

/* Those of tests/images have one aspect each. */
static const struct format more_formats[] = {
   {"D16_UNORM_S8_UINT",
    VK_FORMAT_D16_UNORM_S8_UINT,
    VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT,
    NUMBERS_FLOAT,
    2,
    1,
    1,
    {16, 16, 16, 16},
    0,
    true},
   {"D32_SFLOAT_S8_UINT",
    VK_FORMAT_D32_SFLOAT_S8_UINT,
    VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT,
    NUMBERS_FLOAT,
    4,
    1,
    1,
    {32, 32, 32, 32},
    0,
    false},
};

/* The round trip is compared with what began it, the others with lavapipe. */
static const struct operation *const operations[] = {
   &round_trip_operation,  &copy_operation,           &clear_operation,        &blit_nearest_operation,
   &blit_linear_operation, &blit_mips_operation,      &blit_convert_operation, &render_clear_operation,
   &resolve_operation,     &render_resolve_operation,
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static unsigned compared, different;

/* ---- texels ---- */

enum encoding { RAW, NORMALIZED, HALF, SINGLE };

static enum encoding
encoding_of(const struct format *format, VkImageAspectFlags aspect)
{
   if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT || format->numbers != NUMBERS_FLOAT || format->width > 1)
      return RAW;
   if (format->normalized || strstr(format->name, "SRGB"))
      return NORMALIZED;
   if (!strstr(format->name, "SFLOAT"))
      return RAW;
   return format->bits[0] == 16 ? HALF : SINGLE;
}

static float
from_half(uint16_t half)
{
   const int exponent = half >> 10 & 31;
   const float magnitude = exponent ? ldexpf(1024 + (half & 1023), exponent - 25) : ldexpf((float)(half & 1023), -24);
   return half & 0x8000 ? -magnitude : magnitude;
}

/* Numbers that filters and conversions can do something with: floats from -2 to 2, depths from 0 to 1. */
static void
random_texels(const struct format *format, uint8_t *texels)
{
   uint32_t state = 0x12345678, *words = (uint32_t *)texels;
   const enum encoding encoding = encoding_of(format, format->aspect & ~VK_IMAGE_ASPECT_STENCIL_BIT);
   for (size_t i = 0; i < SIDE_BUFFER_BYTES / 4; i++) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      const float number = (float)(state >> 8) / (1 << 24);
      words[i] = state;
      if (encoding == SINGLE)
         memcpy(&words[i], &(float){format->aspect & VK_IMAGE_ASPECT_DEPTH_BIT ? number : number * 4 - 2}, 4);
      else if (encoding == HALF)
         words[i] = state & 0xbfffbfff;
      else if (format->format == VK_FORMAT_B10G11R11_UFLOAT_PACK32)
         words[i] = state & ~(UINT32_C(1) << 10 | UINT32_C(1) << 21 | UINT32_C(1) << 31);
      else if (format->format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32)
         words[i] = (state & ~(UINT32_C(1) << 31)) | 1 << 8; /* as numbers are encoded: a mantissa with its first bit */
   }
}

/* ---- comparison ---- */

static int64_t
integer_component(const struct format *format, const uint8_t *texel, unsigned bit, unsigned bits)
{
   uint64_t word = 0;
   memcpy(&word, texel + bit / 8, format->bytes - bit / 8 < 4 ? format->bytes - bit / 8 : 4);
   const uint64_t value = word >> bit % 8 << (64 - bits);
   return strstr(format->name, "SNORM") ? (int64_t)value >> (64 - bits) : (int64_t)(value >> (64 - bits));
}

/* Components that stand for fractions may be rounded another way. */
static bool
near_normalized(const struct format *format, const uint8_t *ours, const uint8_t *theirs, unsigned steps)
{
   for (unsigned bit = 0, i = 0; bit < format->bytes * 8u; bit += format->bits[i++ % 4]) {
      const unsigned bits = format->bits[i % 4];
      const int64_t difference =
         integer_component(format, ours, bit, bits) - integer_component(format, theirs, bit, bits);
      if (llabs(difference) > steps)
         return false;
   }
   return true;
}

static float
float_component(const uint8_t *texel, enum encoding encoding)
{
   uint16_t half;
   float number;
   if (encoding == HALF) {
      memcpy(&half, texel, sizeof(half));
      return from_half(half);
   }
   memcpy(&number, texel, sizeof(number));
   return number;
}

static bool
near_floats(const struct format *format, const uint8_t *ours, const uint8_t *theirs, enum encoding encoding)
{
   const float step = 4.0f / 256; /* of a filter's weights, between numbers from -2 to 2 */
   for (unsigned i = 0; i < format->bytes; i += encoding == SINGLE ? 4 : 2) {
      const float difference = float_component(ours + i, encoding) - float_component(theirs + i, encoding);
      if (!(fabsf(difference) <= step))
         return false;
   }
   return true;
}

/* Filters weigh in steps of 1/256: what they write may be as far off, however many bits it has. Dark steps of sRGB are
 * smaller than that.
 */
static unsigned
steps_of(const struct format *format, const struct operation *operation)
{
   if (!operation->filters)
      return 1;
   if (strstr(format->name, "SRGB"))
      return 2;
   return format->bits[0] > 8 ? 1u << (format->bits[0] - 8) : 1;
}

static bool
same_texel(const struct span *span, const uint8_t *ours, const uint8_t *theirs, const struct operation *operation)
{
   if (!memcmp(ours, theirs, aspect_bytes(span->format, span->aspect)))
      return true;
   switch (encoding_of(span->format, span->aspect)) {
   case NORMALIZED:
      return operation != &copy_operation && operation != &round_trip_operation &&
             near_normalized(span->format, ours, theirs, steps_of(span->format, operation));
   case HALF:
   case SINGLE:
      return operation->filters && near_floats(span->format, ours, theirs, encoding_of(span->format, span->aspect));
   default:
      return false;
   }
}

static void
compare(const struct side *fork, const uint8_t *expected, const struct format *format, const struct shape *shape,
        const struct operation *operation)
{
   compared++;
   for (unsigned i = 0; i < fork->span_count; i++) {
      const struct span *span = &fork->spans[i];
      const size_t texel = aspect_bytes(format, span->aspect);
      for (size_t at = span->offset; at < span->offset + span->bytes; at += texel) {
         const uint8_t *ours = fork->result.map + at, *theirs = expected + at;
         if (same_texel(span, ours, theirs, operation))
            continue;
         printf("%s %s, %s, %s queue: part %u, texel %zu is", format->name, shape->name, operation->name,
                fork->graphics ? "general" : "compute", i, (at - span->offset) / texel);
         for (size_t b = texel; b-- > 0;)
            printf(" %02x", ours[b]);
         printf(", expected");
         for (size_t b = texel; b-- > 0;)
            printf(" %02x", theirs[b]);
         printf("\n");
         different++;
         return;
      }
   }
}

static void
run(struct side *side, const struct format *format, const struct shape *shape, const struct operation *operation)
{
   side->span_count = 0;
   memset(side->result.map, 0xcd, SIDE_BUFFER_BYTES);
   operation->run(side, format, shape);
}

/* Lavapipe has no blits of packed floats. Those that keep the format move bits. */
static const struct format *
reference_format(const struct format *format, const struct operation *operation)
{
   const bool is_packed_float =
      format->format == VK_FORMAT_B10G11R11_UFLOAT_PACK32 || format->format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32;
   const struct format *same_size = formats;
   while (same_size->format != VK_FORMAT_R32_UINT)
      same_size++;
   return is_packed_float && operation == &blit_nearest_operation ? same_size : format;
}

static void
try(struct side *fork, struct side *lavapipe, const struct format *format, const struct shape *shape,
    const struct operation *operation)
{
   const struct format *reference = reference_format(format, operation);
   const bool is_round_trip = operation == &round_trip_operation;
   if (!is_round_trip && !operation->supported(lavapipe, reference, shape))
      return;
   bool ran = is_round_trip;
   const uint32_t families[] = {fork->gpu.general, fork->gpu.compute};
   for (unsigned i = 0; i < COUNT(families) && families[i] != UINT32_MAX; i++) {
      side_use_family(fork, families[i]);
      if ((operation->graphics && !fork->graphics) || !operation->supported(fork, format, shape))
         continue;
      if (!ran)
         run(lavapipe, reference, shape, operation);
      ran = true;
      run(fork, format, shape, operation);
      CHECK(is_round_trip || fork->span_count == lavapipe->span_count);
      compare(fork, is_round_trip ? fork->source.map : lavapipe->result.map, format, shape, operation);
   }
}

static void
try_format(struct side *fork, struct side *lavapipe, const struct format *format, const char *operation)
{
   random_texels(format, fork->source.map);
   random_texels(format, lavapipe->source.map);
   for (size_t s = 0; s < COUNT(shapes); s++)
      for (size_t o = 0; o < COUNT(operations); o++)
         if (!operation || !strcmp(operations[o]->name, operation))
            try(fork, lavapipe, format, &shapes[s], operations[o]);
}

int
main(int argc, char **argv)
{
   static struct side fork, lavapipe;
   CHECK(argc >= 3);
   gpu_shaders = argv[2];
   if (!sides_open(&fork, &lavapipe, argv[1]))
      return 77;
   setvbuf(stdout, NULL, _IOLBF, 0);
   for (size_t f = 0; f < format_count + COUNT(more_formats); f++) {
      const struct format *format = f < format_count ? &formats[f] : &more_formats[f - format_count];
      if (argc < 4 || strstr(format->name, argv[3]))
         try_format(&fork, &lavapipe, format, argc > 4 ? argv[4] : NULL);
   }
   sides_close(&fork, &lavapipe);
   printf("%u compared, %u differ; %u complaints of the validation layer\n", compared, different, side_complaints);
   return different || !compared || side_complaints;
}
