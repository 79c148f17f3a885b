/* SPDX-License-Identifier: MIT */
/*
 * Every format that the fork reports, in images of every shape and tiling and in texel buffers: filled by copies and
 * read by shaders, written by shaders and read back by copies; the same on lavapipe, and compared.
 *    images-formats LAVAPIPE SHADER-DIRECTORY [format]
 * The fork is the driver that HDB_TEST_DRIVER names.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

static const struct shape shapes[] = {
   {"1D", VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, 77, 1, 1, 1, true, 1},
   {"1DArray", VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 37, 1, 1, 3, true, 1},
   {"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 13, 5, 1, 1, false, 1},
   {"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 140, 70, 1, 1, true, 1},
   {"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 300, 270, 1, 1, false, 1},
   {"2DArray", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 72, 40, 1, 3, true, 1},
   {"Cube", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE, 24, 24, 1, 6, true, 1},
   {"3D", VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, 36, 20, 17, 1, true, 1},
   {"2DMS", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 40, 30, 1, 1, false, 4},
   {"2DMSArray", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 20, 30, 1, 2, false, 8},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static unsigned failures, compared, alone;

/* ---- values ---- */

static uint32_t random_state;

static uint32_t
random_word(void)
{
   random_state ^= random_state << 13;
   random_state ^= random_state >> 17;
   random_state ^= random_state << 5;
   return random_state;
}

static float
random_float(void)
{
   float unit = (float)(random_word() >> 8) / (1 << 24);
   switch (random_word() % 8) {
   case 0:
      return unit * 2000 - 1000;
   case 1:
      return (float)(random_word() % 3) - 1;
   case 2:
      return unit * 60000;
   case 3:
      return unit / 1000;
   default:
      return unit * 2.2f - 1.1f;
   }
}

static void
random_values(const struct format *format, uint32_t *values, size_t texels)
{
   for (size_t i = 0; i < texels * 4; i++) {
      unsigned bits = format->bits[i % 4];
      float number = random_float();
      if (format->numbers == NUMBERS_FLOAT)
         memcpy(&values[i], &number, 4);
      else if (format->numbers == NUMBERS_UINT)
         values[i] = random_word() >> (32 - bits);
      else
         values[i] = (uint32_t)((int32_t)random_word() >> (32 - bits));
   }
}

/* ---- comparison ---- */

static void
prepare(struct side *side, const struct format *format, size_t bytes, size_t texels)
{
   random_state = 0x12345678;
   random_values(format, side->values.map, texels);
   uint32_t *words = side->data.map;
   for (size_t i = 0; i < (bytes + 3) / 4; i++)
      words[i] = random_word();
}

static bool
same_value(const struct format *format, bool was_stored, uint32_t ours, uint32_t theirs)
{
   /* As with same_texel; of 5:5:5:1 the one bit may come first. */
   unsigned bits = format->bits[0] > 1 ? format->bits[0] : format->bits[1];
   float stored_tolerance = was_stored && format->normalized ? 1.0f / ((1 << (bits - 1)) - 1) : 0;
   if (ours == theirs)
      return true;
   if (format->numbers != NUMBERS_FLOAT)
      return false;
   float a, b;
   memcpy(&a, &ours, 4);
   memcpy(&b, &theirs, 4);
   /* Lavapipe multiplies by 1/255 and the like, which is off by an ulp. */
   return (isnan(a) && isnan(b)) ||
          fabsf(a - b) <= fmaxf(format->tolerance, fmaxf(fabsf(b) * 0x1p-22f, stored_tolerance));
}

static int64_t
field_of(const uint8_t *texel, unsigned bit, unsigned bits, bool is_signed)
{
   uint64_t word = 0;
   memcpy(&word, texel + bit / 8, 4);
   uint64_t at_the_top = word << (64 - bit % 8 - bits);
   return is_signed ? (int64_t)at_the_top >> (64 - bits) : (int64_t)(at_the_top >> (64 - bits));
}

/* Numbers that were normalized may differ by one: lavapipe's product is rounded before it is made an integer. One bit
 * has nothing to round. */
static bool
same_texel(const struct format *format, const uint8_t *ours, const uint8_t *theirs)
{
   if (!memcmp(ours, theirs, format->bytes))
      return true;
   if (!format->normalized)
      return false;
   bool is_signed = strstr(format->name, "SNORM");
   for (unsigned bit = 0, i = 0; bit < format->bytes * 8u; bit += format->bits[i++ % 4]) {
      unsigned bits = format->bits[i % 4];
      int64_t a = field_of(ours, bit, bits, is_signed), b = field_of(theirs, bit, bits, is_signed);
      if (llabs(a - b) > (bits > 1))
         return false;
   }
   return true;
}

static void
complain(const char *what, const struct format *format, const char *shape, enum operation operation, size_t at,
         uint32_t ours, uint32_t theirs)
{
   float a, b;
   memcpy(&a, &ours, 4);
   memcpy(&b, &theirs, 4);
   printf("%s %s %s: %s %zu is 0x%08x (%g), lavapipe's 0x%08x (%g)\n", format->name, shape, operation_names[operation],
          what, at, ours, a, theirs, b);
   failures++;
}

static void
compare(const struct side *fork, const struct side *lavapipe, const struct format *format, const char *shape,
        enum operation operation, size_t bytes, size_t texels, bool was_stored)
{
   compared++;
   bool through_data = was_stored && operation == STORE;
   const uint32_t *ours = fork->values.map, *theirs = lavapipe->values.map;
   for (size_t i = 0; i < texels * 4 && !through_data; i++) {
      if (!same_value(format, was_stored, ours[i], theirs[i])) {
         complain("component", format, shape, operation, i, ours[i], theirs[i]);
         return;
      }
   }
   const uint8_t *our_bytes = fork->data.map, *their_bytes = lavapipe->data.map;
   for (size_t at = 0; at + format->bytes <= bytes && through_data; at += format->bytes) {
      if (!same_texel(format, our_bytes + at, their_bytes + at)) {
         uint32_t a = 0, b = 0;
         memcpy(&a, our_bytes + at, format->bytes < 4 ? format->bytes : 4);
         memcpy(&b, their_bytes + at, format->bytes < 4 ? format->bytes : 4);
         complain("texel", format, shape, operation, at / format->bytes, a, b);
         return;
      }
   }
}

static void
try_image(struct side *sides, const struct format *format, const struct shape *shape, VkImageTiling tiling,
          enum operation operation)
{
   VkImageCreateInfo info = image_info(format, shape, tiling, operation);
   bool pointless = (operation == FETCH && shape->view == VK_IMAGE_VIEW_TYPE_CUBE) || /* GLSL has no such function */
                    (operation == STORE && shape->samples > 1);                       /* the others store, too */
   if (pointless || !supports(&sides[0].gpu, format, &info, operation))
      return;
   bool both = supports(&sides[1].gpu, format, &info, operation);
   size_t bytes = 0, texels = 0;
   for (uint32_t l = 0; l < info.mipLevels; l++) {
      struct extent e = level_extent(shape, l);
      bytes += (level_bytes(format, shape, l) + 47) / 48 * 48;
      texels += (size_t)e.width * e.height * e.depth * shape->layers * shape->samples;
   }
   for (unsigned i = 0; i < 1u + both; i++) {
      prepare(&sides[i], format, bytes, texels);
      run_image(&sides[i], format, shape, &info, operation);
   }
   alone += !both;
   char name[64];
   snprintf(name, sizeof name, "%s%s %ux%u", tiling == VK_IMAGE_TILING_LINEAR ? "linear " : "", shape->name,
            shape->width, shape->height);
   if (both)
      compare(&sides[0], &sides[1], format, name, operation, bytes, texels, operation == STORE || shape->samples > 1);
}

static void
try_buffer(struct side *sides, const struct format *format, enum operation operation)
{
   VkFormatFeatureFlags wanted =
      operation == FETCH ? VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT : VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
   for (unsigned i = 0; i < 2; i++) {
      VkFormatProperties properties;
      vkGetPhysicalDeviceFormatProperties(sides[i].gpu.physical_device, format->format, &properties);
      if (!(properties.bufferFeatures & wanted)) {
         alone += i;
         return;
      }
      prepare(&sides[i], format, BUFFER_TEXELS * format->bytes, BUFFER_TEXELS);
      run_buffer(&sides[i], format, operation);
   }
   compare(&sides[0], &sides[1], format, "Buffer", operation, BUFFER_TEXELS * format->bytes, BUFFER_TEXELS,
           operation == STORE);
}

int
main(int argc, char **argv)
{
   static struct side sides[2];
   const char *fork = getenv("HDB_TEST_DRIVER");
   if (argc < 3 || !fork || !fork[0] || access(argv[1], R_OK)) {
      printf("1..0 # SKIP needs the fork and lavapipe\n");
      return 77;
   }
   setvbuf(stdout, NULL, _IOLBF, 0);
   gpu_shaders = argv[2];
   side_open(&sides[0], fork);
   side_open(&sides[1], argv[1]);
   for (unsigned f = 0; f < format_count; f++) {
      if (argc > 3 && !strstr(formats[f].name, argv[3]))
         continue;
      for (enum operation operation = LOAD; operation < OPERATIONS; operation++) {
         for (unsigned s = 0; s < SHAPES; s++) {
            try_image(sides, &formats[f], &shapes[s], VK_IMAGE_TILING_OPTIMAL, operation);
            try_image(sides, &formats[f], &shapes[s], VK_IMAGE_TILING_LINEAR, operation);
         }
         try_buffer(sides, &formats[f], operation);
      }
   }
   for (unsigned i = 0; i < 2; i++) {
      destroy_pipelines(&sides[i]);
      side_close(&sides[i]);
   }
   printf("%u compared, %u that lavapipe lacks were only run, %u differ\n", compared, alone, failures);
   return failures || !compared;
}
